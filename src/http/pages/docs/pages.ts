import { pageAddress, withAddresses, type Guide } from './guides.ts';
import { renderLayout, type Layout } from './layout.ts';
import { renderMarkdown, type Content } from './render.ts';
import { searchIndex } from './search-index.ts';

/** The gateway that serves the pages. */
export interface Subject extends Layout {
  readonly baseUrl: string;
  readonly docsUrl: string;
}

/** Renders a guide as a page. */
export function renderPage(guide: Guide, subject: Subject): string {
  return withAddresses(renderLayout(guide, contentOf(guide, subject), subject), subject);
}

/** Returns the index of all pages but the REST reference, whose page has other anchors. */
export function renderSearchIndex(subject: Subject): string {
  const guides = subject.guides.filter(({ name }) => name !== 'reference');
  const pages = guides.map((guide) => ({ ...guide, body: contentOf(guide, subject).body }));
  return withAddresses(searchIndex(pages), subject);
}

function contentOf(guide: Guide, { hasSchema }: Subject): Content {
  return renderMarkdown(guide.text, (href) => pageAddress(href, guide, hasSchema));
}
