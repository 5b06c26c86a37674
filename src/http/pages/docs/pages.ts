import { errorsPage } from './errors.ts';
import { pageAddress, withAddresses, type Guide } from './guides.ts';
import { homePage } from './home.ts';
import { renderLayout } from './layout.ts';
import type { Layout, Page } from './page.ts';
import { renderMarkdown } from './render.ts';
import { metricsPage } from './metrics.ts';
import { searchIndex } from './search-index.ts';
import { versioningPage } from './versioning.ts';

/** The gateway that serves the pages. */
export interface Subject extends Layout {
  /** Its OpenAPI document. */
  readonly document: string;
  readonly baseUrl: string;
  readonly docsUrl: string;
  readonly guides: readonly Guide[];
}

/** Renders the page with this name below `/docs`. Throws if there is none. */
export function renderPage(name: string, subject: Subject): string {
  return withAddresses(renderLayout(pageOf(name, subject), subject), subject);
}

/** Returns the index of all rendered pages. */
export function renderSearchIndex(subject: Subject): string {
  const names = [...Object.keys(renderers), ...subject.guides.map(({ name }) => name)];
  return withAddresses(searchIndex(names.map((name) => pageOf(name, subject))), subject);
}

/** Returns a rendered page other than the REST reference. Throws if there is none. */
export function pageOf(name: string, subject: Subject): Page {
  const guide = subject.guides.find((each) => each.name === name);
  if (guide) return guidePage(guide);
  const render = renderers[name];
  if (!render) throw new Error(`There is no page ${name}.`);
  return render(subject);
}

function guidePage({ name, title, description, file, text }: Guide): Page {
  const rendered = renderMarkdown(text, (href) => pageAddress(href, file));
  return { name, title, description, ...rendered };
}

const renderers: Readonly<Record<string, (subject: Subject) => Page>> = {
  '': ({ document, baseUrl }) => homePage(document, baseUrl),
  errors: errorsPage,
  metrics: metricsPage,
  versioning: ({ docsUrl }) => versioningPage(docsUrl),
};
