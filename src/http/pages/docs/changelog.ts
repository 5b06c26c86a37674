import { aliasesDeprecatedSince, aliasesWorkUntil } from '../../response/deprecations.ts';
import { html, sections, type Html } from './html.ts';
import type { Page } from './layout.ts';
import { dayOf } from './versioning.ts';

/** What changed for callers, the latest first. */
export function changelogPage(): Page {
  return {
    name: 'changelog',
    title: 'Changelog',
    body: sections(
      entries.map(({ day, title, body }) => ({
        id: day,
        title: html`<time>${day}</time> ${title}`,
        body,
      })),
    ),
  };
}

interface Entry {
  /** `2026-01-31`. */
  readonly day: string;
  readonly title: string;
  readonly body: Html;
}

const forOperators = html`<p>For operators:</p>
  <ul>
    <li>
      <strong>Stop all nodes that share a PostgreSQL database before this upgrade.</strong> Once the
      first new node has started, nodes of the earlier version refuse metered calls (503, nothing
      charged).
    </li>
    <li>
      <code>WORKERS</code> is gone and is ignored. Run one process per core behind a proxy:
      <code>GATEWAYS=4 docker compose up</code>, or instances of the systemd template unit
      <code>ops/gateway@.service</code>, each on a port of its own. The metric
      <code>gateway_processes</code> is gone, too: each process has its own <code>/metrics</code>.
    </li>
    <li>
      <code>CLUSTER_SIZE</code> is new. Registries count requests per IP address, and nodes no
      longer share these limits through the database: set it to the number of nodes that reach the
      internet from one address. Single-flight works within one node; two nodes that look up the
      same name at the same moment send two requests.
    </li>
    <li>
      A <code>Retry-After</code> of a registry reaches the other nodes by a notification, or within
      two seconds where a pooler swallows notifications.
    </li>
    <li>
      Reservations of credits expire after 60 seconds unless their process extends them, so what a
      killed process had reserved is refunded within 75 seconds. The log says
      <code>refunded reservations that were not settled in time</code>, in place of
      <code>gave back credits that were set aside when the gateway last ended</code> and
      <code>gave back credits that a node which died had set aside</code>.
    </li>
    <li>
      SQLite stores new answers within about 100 ms; a crash may lose the latest, which are looked
      up again. An answer that contradicts a stored <code>AVAILABLE</code> is stored at once. The
      file <code>gateway.db-mark</code> is not used any more and may be deleted.
    </li>
    <li>
      A stop resets no connection: what has been sent by then is answered. Connections without a
      request are ended after half a second.
    </li>
    <li>
      Other log messages have changed:
      <code>Corrupt cache database quarantined and recreated.</code>,
      <code>Answers cannot be stored now. The latest are kept in memory until they can.</code>,
      <code>Registry state could not be read.</code>,
      <code>Registry state could not be stored.</code> and
      <code
        >The back-off of a registry could not be stored. After a restart, and on other nodes, it has
        no effect.</code
      >
    </li>
    <li>
      GraphiQL’s files are part of the repository, so that far fewer packages are installed at run
      time, and <code>npm ci</code> prints no warnings.
    </li>
  </ul>`;

const entries: readonly Entry[] = [
  {
    day: '2026-11-23',
    title: 'Stricter proof of availability, limits per caller, and support for more clients',
    body: html`<p>
        A 404 of a registry counts only if its text says nothing but “not found”, and while the
        registry finds the names that it must hold. Names that were <code>available</code> without
        such proof are <code>unknown</code> now, with the reason <code>untrusted_answer</code>.
        <code>evidence.text</code> is new.
      </p>
      <p>
        A repeat with an <code>Idempotency-Key</code> pays for the names that it queries again. A
        failing name is not sent again for 5 seconds. An address or key has at most a tenth of the
        requests in flight and of the connections, pages and errors count against
        <code>RATE_LIMIT</code>, work that costs no credits is limited, and a GraphQL response has
        at most 32,000,000 characters.
      </p>
      <p>With <code>AUTH=auto</code>, requests that pages of other sites cause need a key.</p>
      <p>REST:</p>
      <ul>
        <li>
          <code>budget_ms</code> ends a status or bulk call in time; rows that are not known by then
          are <code>pending</code>, and their lookups continue.
        </li>
        <li>
          <code>GET /v1/tlds</code> and <code>GET /v1/coverage</code> list the TLDs that can be
          looked up. <code>/v1/rdap</code> takes <code>query</code> with <code>type=domain</code>.
        </li>
        <li>
          <code>latency_ms</code> is an integer. <code>input</code>, <code>confidence</code>,
          <code>meta</code> and <code>duration_ms</code> are new. With one name in
          <code>domain</code>, <code>name</code> is its label.
        </li>
        <li>
          <code>X-API-Version</code>, <code>X-Response-Time</code> and
          <code>X-Data-Freshness</code> are new. <code>Vary</code> names <code>X-API-Key</code>,
          <code>Authorization</code>, <code>Accept</code> and <code>Service-Naming</code>.
        </li>
        <li>
          Problems also carry <code>message</code> and <code>error</code>, and are
          <code>application/json</code> if <code>Accept</code> names it and neither
          <code>application/problem+json</code> nor a wildcard.
        </li>
        <li>
          An empty <code>X-API-Key</code> counts as absent, and <code>naming</code> ignores case.
          The OpenAPI description has one type for each response, so generated code may need the new
          type names.
        </li>
      </ul>
      <p>GraphQL:</p>
      <ul>
        <li>
          A lookup that fails is no longer an error: <code>rdap</code> and
          <code>registrarRdap</code> are null, and <code>problem</code> or
          <code>registrarProblem</code> gives the reason.
        </li>
        <li>
          <code>node(id)</code> and <code>nodes(ids)</code> find a <code>Domain</code>,
          <code>Registration</code> or <code>Tld</code>. The ids of TLDs begin with
          <code>tld:</code>, those of INVALID rows with <code>invalid:</code>.
          <code>tlds</code> takes <code>last</code> and <code>before</code>.
        </li>
        <li>
          <code>Query.tlds</code> may be null, and <code>Attempt.phase</code> is an enum with the
          same values.
        </li>
        <li>
          <code>@defer</code> in the format of graphql 17 (<code>incrementalSpec=v0.2</code>),
          subscriptions in Apollo’s multipart protocol (<code>subscriptionSpec=1.0</code>),
          automatic persisted queries, and cacheable GETs with <code>ETag</code>.
        </li>
      </ul>
      <p>
        Both: a full minute’s requests may be sent at once, and the rate limit headers say exactly
        how many. Pages of other origins may send every header that they request. Placeholders such
        as <code>REDACTED FOR PRIVACY</code> in the place of a value are null and listed in
        <code>redacted</code>; <code>registrarRdap.expiresAt</code> is the registrar’s own date.
      </p>
      ${forOperators}`,
  },
  {
    day: '2026-11-21',
    title: 'First release of this gateway',
    body: html`<p>
      GraphQL at <code>/graphql</code>; <code>/v1/status</code>, <code>/v1/status/bulk</code> and
      <code>/v1/rdap</code> over REST; the <a href="../openapi.json">OpenAPI description</a>; these
      pages.
    </p>`,
  },
  {
    day: dayOf(aliasesDeprecatedSince),
    title: 'Deprecated: the old names of max_age and cursor',
    body: html`<p>
      They work until <time>${dayOf(aliasesWorkUntil)}</time> at least.
      <a href="../docs/versioning#deprecated-aliases">The table of aliases</a> has what to write in
      their place; <code>max_age</code> and <code>cursor</code> take over.
    </p>`,
  },
];
