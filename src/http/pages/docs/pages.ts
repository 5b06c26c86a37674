import { changelogPage } from './changelog.ts';
import { readDescription } from './description.ts';
import { errorsPage } from './errors.ts';
import { renderLayout, type Page } from './layout.ts';
import { operationsPage } from './operations.ts';
import { referencePage } from './reference.ts';
import { reliabilityPage } from './reliability.ts';
import { versioningPage } from './versioning.ts';

/** What the pages tell of the gateway that serves them. */
interface Subject {
  /** Its OpenAPI document. */
  readonly document: string;
  readonly baseUrl: string;
  readonly docsUrl: string;
  readonly graphiql: boolean;
}

/** The HTML of a page for people. */
export function pageNamed(name: Page['name'], subject: Subject, iconPath: string): string {
  return renderLayout(pages[name](subject), iconPath, subject.graphiql);
}

const pages: Readonly<Record<Page['name'], (subject: Subject) => Page>> = {
  '': ({ document, baseUrl, graphiql }) =>
    referencePage(readDescription(JSON.parse(document)), baseUrl, graphiql),
  versioning: ({ docsUrl }) => versioningPage(docsUrl),
  errors: errorsPage,
  changelog: changelogPage,
  operations: operationsPage,
  reliability: reliabilityPage,
};
