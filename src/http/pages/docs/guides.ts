import { codeBlock, html, table, type Html, type Section } from './html.ts';

/** What no table tells: what the words of this API mean. */
export function guides(baseUrl: string, graphiql: boolean): readonly Section[] {
  return [
    { id: 'available', title: 'What “available” means', body: available },
    { id: 'freshness', title: 'How old an answer may be', body: freshness },
    { id: 'budgets', title: 'How long a call may take', body: budgets },
    { id: 'graphql', title: 'GraphQL in short', body: graphql(baseUrl, graphiql) },
  ];
}

const available = html`<p>
    <code>available: true</code> says that
    <strong>the registry holds no registration of this name</strong>. It does not say that you can
    buy it: the registry may withhold the name, ask a price of its own, or sell to certain buyers
    only; and somebody may be quicker. Only a registrar’s check at the moment of buying is binding.
  </p>
  <ul>
    <li>
      <code>true</code> only on proof: the registry’s own server answered 404 in RDAP’s own terms,
      or sent a domain without any status but <code>free</code> or <code>available</code>.
    </li>
    <li>
      <code>false</code> when something stands in the way: a registration, a reservation, a deletion
      that is not over.
    </li>
    <li>
      <code>null</code> when nobody trustworthy said. <code>reason</code> is then a
      <a href="docs/errors">problem code</a>. A web page, a refusal or silence is never taken for
      “free”.
    </li>
  </ul>
  <p>
    A name is one label under a suffix that a registry serves: <code>www.example.com</code> or a
    suffix alone is <code>invalid</code>, as a registry’s 404 for it would read as “free”.
  </p>`;

const freshness = html`<p>
    Answers are kept. By default a free name, and one on its way out, is fresh for 5 minutes; a
    reserved one, or one within a week of its expiry, for an hour; every other registered one for a
    day. <code>max_age</code> (in GraphQL <code>maxAge</code>) says otherwise, in seconds:
    <code>0</code> asks the registry, <code>2592000</code> prefers what is kept. A kept “free” is
    never given when it is older than an hour.
  </p>
  <p>
    When a registry fails and you set no <code>max_age</code>, a registered name, unless it was
    pending delete, may be answered from up to 7 days ago, marked <code>stale</code>.
    <code>checked_at</code> always says when the registry spoke.
  </p>`;

const budgetRows = [
  ['A client library of the public API, which gives up after 10 s', '8000'],
  ['An HTTP client or proxy that gives up after 30 s', '25000'],
  ['A search box', '1500'],
  ['One that only needs stored answers, and starts the other lookups', '0'],
  ['NDJSON, which sends each row when it is known', 'none'],
] as const;

const budgets = html`<p>
    <code>budget_ms</code> (in GraphQL <code>budgetMs</code>) ends the response after so many
    milliseconds of lookups. Rows that are not known by then have <code>status: pending</code>.
    Their lookups continue and are charged, so a repeat soon after finds the answers. Repeat the
    call until <code>meta.pending</code> is 0, in bulk with the same <code>Idempotency-Key</code>:
    names whose lookups continue or have succeeded cost nothing then, and the budget may be another.
    A lookup that failed is made, and charged, again.
  </p>
  <p>
    Without a budget, the response waits for every row. At the default limits of the gateway, a bulk
    call of 200 names of one registry takes about 15 s: 50 are sent at once, and then 10 per second.
    So choose a budget below the time limit of your client:
  </p>
  ${table(
    'Budgets by client',
    ['Client', 'budget_ms'],
    budgetRows.map(([client, budget]) => [html`${client}`, html`<code>${budget}</code>`]),
  )}
  <p>
    The time counts from the start of the lookups. Reading the request, and with an
    <code>Idempotency-Key</code> waiting for an earlier call that is in progress, come before.
  </p>`;

const example = `{ domain(name: "taken", tld: "test") { available rdap { nameservers } } }`;

const graphiqlLink = html`<a href="graphql">GraphiQL</a> has working examples in its tabs, and the
  schema with a word on every field.`;

function graphql(baseUrl: string, graphiql: boolean): Html {
  const curl = `curl ${baseUrl}/graphql -H 'content-type: application/json' -d '${JSON.stringify({ query: example })}'`;
  return html`<p>
      The same names, verdicts and registrations at <code>/graphql</code>, on the same code: what
      one door says, the other says too. ${graphiql ? [graphiqlLink] : []}
    </p>
    ${codeBlock('A GraphQL call', curl)}
    <ul>
      <li>
        <code>domain</code> is one name; <code>domains</code> is one label under many TLDs, or whole
        names, a row each.
      </li>
      <li>
        <code>@defer</code> on a row’s fields sends the rows at once, and each verdict as it comes
        (<code>multipart/mixed</code>).
      </li>
      <li>
        The subscription <code>availability</code> sends each row as soon as it is known
        (<code>text/event-stream</code>, or <code>multipart/mixed;subscriptionSpec=1.0</code>).
      </li>
      <li>
        Automatic persisted queries work by GET and POST; the result of a GET may be cached for as
        long as its verdicts are fresh.
      </li>
      <li>
        A lookup that fails is data, not an error: its row has a <code>problem</code> with the
        <a href="docs/errors">problem code</a>, and the other rows are not affected. A request that
        is rejected is an error, with the code in <code>extensions.code</code>.
      </li>
    </ul>`;
}
