import { readDescription } from './description.ts';
import { errorsPage } from './errors.ts';
import { pageAddress, withAddresses, type Guide } from './guides.ts';
import { renderLayout, type Page } from './layout.ts';
import { renderMarkdown } from './markdown.ts';
import { metricsPage } from './metrics.ts';
import { referencePage } from './reference.ts';
import { versioningPage } from './versioning.ts';

/** The gateway that serves the pages. */
export interface Subject {
  /** Its OpenAPI document. */
  readonly document: string;
  readonly baseUrl: string;
  readonly docsUrl: string;
  readonly guides: readonly Guide[];
  readonly graphiql: boolean;
  readonly iconPath: string;
}

/** Renders the page with this name below `/docs`. Throws if there is none. */
export function renderPage(name: string, subject: Subject): string {
  const guide = subject.guides.find((each) => each.name === name);
  if (guide) return withAddresses(renderLayout(guidePage(guide), subject), subject);
  const page = generatedPages[name];
  if (!page) throw new Error(`There is no page ${name}.`);
  return renderLayout(page(subject), subject);
}

function guidePage({ name, title, file, text }: Guide): Page {
  const body = renderMarkdown(text, (href) => pageAddress(href, file));
  return { name, title, body };
}

const generatedPages: Readonly<Record<string, (subject: Subject) => Page>> = {
  '': ({ document, baseUrl }) => referencePage(readDescription(JSON.parse(document)), baseUrl),
  errors: errorsPage,
  metrics: metricsPage,
  versioning: ({ docsUrl }) => versioningPage(docsUrl),
};
