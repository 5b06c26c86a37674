import { aliasesDeprecatedSince, aliasesWorkUntil } from '../../deprecations.ts';
import { html, sections, type Html } from './html.ts';
import type { Page } from './layout.ts';
import { dayOf } from './versioning.ts';

/** What changed for callers, the latest first. */
export function changelogPage(): Page {
  return {
    name: 'changelog',
    title: 'Changelog',
    body: sections(entries.map(({ day, title, body }) => ({ id: day, title: html`<time>${day}</time> ${title}`, body }))),
  };
}

interface Entry {
  /** `2026-01-31`. */
  readonly day: string;
  readonly title: string;
  readonly body: Html;
}

const entries: readonly Entry[] = [
  {
    day: '2026-11-21',
    title: 'First release of this gateway',
    body: html`<p>
      GraphQL at <code>/graphql</code>; <code>/v1/status</code>, <code>/v1/status/bulk</code> and <code>/v1/rdap</code> over REST; the
      <a href="../openapi.json">OpenAPI description</a>; these pages.
    </p>`,
  },
  {
    day: dayOf(aliasesDeprecatedSince),
    title: 'Deprecated: the old names of max_age and cursor',
    body: html`<p>
      They work until <time>${dayOf(aliasesWorkUntil)}</time> at least.
      <a href="../docs/versioning#deprecated-aliases">The table of aliases</a> has what to write in their place; <code>max_age</code> and
      <code>cursor</code> take over.
    </p>`,
  },
];
