import { pageAddress, withAddresses, type Guide } from './guides.ts';
import { renderLayout, type Layout } from './layout.ts';
import { renderMarkdown, type Content } from './render.ts';
import type { Html } from './html.ts';

/** The gateway that serves the pages. */
export interface Subject extends Layout {
  readonly baseUrl: string;
  readonly docsUrl: string;
}

/** Renders a guide as a page, with its text unless there is other content. */
export function renderPage(
  guide: Guide,
  subject: Subject,
  content = contentOf(guide, subject),
): string {
  return withAddresses(renderLayout(guide, content, subject), subject);
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

/** A rendered page. */
interface Page extends Guide {
  readonly body: Html;
}

/** A section of a page that can be found. */
interface SearchEntry {
  /** Below `/docs`, with the anchor of the section. */
  readonly path: string;
  readonly page: string;
  readonly heading: string;
  readonly text: string;
}

/** Returns the sections of all pages as JSON, for the search in `search.js`. */
export function searchIndex(pages: readonly Page[]): string {
  return JSON.stringify(pages.flatMap(entriesOf));
}

function entriesOf({ name, title, body }: Page): readonly SearchEntry[] {
  const parts = body.html.split(/(?=<h[23] id=")/);
  return parts.map((part) => {
    const [, id] = /^<h[23] id="([^"]+)"/.exec(part) ?? [];
    const [all = '', heading = ''] = /<h[23][^>]*>(.*?)<\/h[23]>/s.exec(part) ?? [];
    return {
      path: `${name && '/'}${name}${id === undefined ? '' : `#${id}`}`,
      page: title,
      heading: textOf(heading),
      text: textOf(part.replace(all, '')),
    };
  });
}

/** Returns the text of HTML that this gateway rendered. */
function textOf(rendered: string): string {
  return rendered
    .replaceAll(/<legend>.*?<\/legend>|<label[^>]*>.*?<\/label>/gs, ' ')
    .replaceAll(/<\/?(?:code|span|a|strong|em)\b[^>]*>/g, '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll(/&#(?:39|x27);/g, "'")
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
