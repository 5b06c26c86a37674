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
    day: '2026-11-23',
    title: 'Stricter proof of availability, and limits per caller',
    body: html`<p>
        A 404 of a registry counts only if its text says nothing but “not found”, and while the registry finds the names that it must hold.
        Names that were <code>available</code> without such proof are <code>unknown</code> now, with the reason
        <code>untrusted_answer</code>. <code>evidence.text</code> is new.
      </p>
      <p>
        A repeat with an <code>Idempotency-Key</code> pays for the names that it queries again. A failing name is not sent again for 5
        seconds. An address or key has at most a tenth of the requests in flight and of the connections, pages and errors count against
        <code>RATE_LIMIT</code>, work that costs no credits is limited, and a GraphQL response has at most 32,000,000 characters.
      </p>
      <p>With <code>AUTH=auto</code>, requests that pages of other sites cause need a key.</p>`,
  },
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
