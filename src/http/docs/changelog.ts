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
    title: 'Stricter proof of availability, limits per caller, and support for more clients',
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
      <p>With <code>AUTH=auto</code>, requests that pages of other sites cause need a key.</p>
      <p>REST:</p>
      <ul>
        <li>
          <code>budget_ms</code> ends a status or bulk call in time; rows that are not known by then are <code>pending</code>, and their
          lookups continue.
        </li>
        <li>
          <code>GET /v1/tlds</code> and <code>GET /v1/coverage</code> list the TLDs that can be looked up. <code>/v1/rdap</code> takes
          <code>query</code> with <code>type=domain</code>.
        </li>
        <li>
          <code>latency_ms</code> is an integer. <code>input</code>, <code>confidence</code>, <code>meta</code> and
          <code>duration_ms</code> are new. With one name in <code>domain</code>, <code>name</code> is its label.
        </li>
        <li>
          <code>X-API-Version</code>, <code>X-Response-Time</code> and <code>X-Data-Freshness</code> are new. <code>Vary</code> names
          <code>X-API-Key</code>, <code>Authorization</code>, <code>Accept</code> and <code>Service-Naming</code>.
        </li>
        <li>
          Problems also carry <code>message</code> and <code>error</code>, and are <code>application/json</code> if
          <code>Accept</code> names it and neither <code>application/problem+json</code> nor a wildcard.
        </li>
        <li>
          An empty <code>X-API-Key</code> counts as absent, and <code>naming</code> ignores case. The OpenAPI description has one type for
          each response, so generated code may need the new type names.
        </li>
      </ul>
      <p>GraphQL:</p>
      <ul>
        <li>
          A lookup that fails is no longer an error: <code>rdap</code> and <code>registrarRdap</code> are null, and <code>problem</code> or
          <code>registrarProblem</code> gives the reason.
        </li>
        <li>
          <code>node(id)</code> and <code>nodes(ids)</code> find a <code>Domain</code>, <code>Registration</code> or <code>Tld</code>. The
          ids of TLDs begin with <code>tld:</code>, those of INVALID rows with <code>invalid:</code>. <code>tlds</code> takes
          <code>last</code> and <code>before</code>.
        </li>
        <li><code>Query.tlds</code> may be null, and <code>Attempt.phase</code> is an enum with the same values.</li>
        <li>
          <code>@defer</code> in the format of graphql 17 (<code>incrementalSpec=v0.2</code>), subscriptions in Apollo’s multipart protocol
          (<code>subscriptionSpec=1.0</code>), automatic persisted queries, and cacheable GETs with <code>ETag</code>.
        </li>
      </ul>
      <p>
        Both: a full minute’s requests may be sent at once, and the rate limit headers say exactly how many. Pages of other origins may send
        every header that they request. Placeholders such as <code>REDACTED FOR PRIVACY</code> in the place of a value are null and listed
        in <code>redacted</code>; <code>registrarRdap.expiresAt</code> is the registrar’s own date.
      </p>`,
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
