import * as v from 'valibot';
import { codeTabs } from './code-block.ts';
import { html, prose, sections, table, type Html, type Section } from './html.ts';
import type { Page } from './page.ts';

/** Renders the start page: where to begin, the REST endpoints and the prices. */
export function homePage(openapi: string, baseUrl: string): Page {
  const parts: readonly Section[] = [
    { id: 'guides', title: 'Guides', body: cards },
    { id: 'endpoints', title: 'REST endpoints', body: endpointsTable(openapi) },
    { id: 'prices', title: 'Prices', body: pricesTable() },
  ];
  return {
    name: '',
    title: 'Documentation',
    description: 'Guides and references for a self-hosted GraphQL, REST and MCP gateway over RDAP.',
    body: html`${introduction(baseUrl)}${sections(parts)}`,
    sections: parts,
  };
}

function introduction(baseUrl: string): Html {
  const url = `${baseUrl}/v1/rdap?domain=taken.test`;
  return html`<p class="lead">
      RDAP Gateway answers whether a domain name is available and who holds it, over GraphQL and
      REST. The names under <code>.test</code> in the examples are answered by the built-in sandbox:
      they work without internet access and cost no credits.
    </p>
    ${codeTabs('First request', 'first', [
      { title: 'curl', language: 'sh', code: `curl '${url}'` },
      {
        title: 'JavaScript',
        language: 'js',
        code: `const response = await fetch('${url}');\nconst { available, registrar } = await response.json();`,
      },
      {
        title: 'Python',
        language: 'python',
        code: `import json, urllib.request\n\nwith urllib.request.urlopen('${url}') as response:\n    record = json.load(response)`,
      },
    ])}
    <p>
      If the gateway requires a key, send it in <code>X-API-Key</code>. Every endpoint that supports
      GET also supports HEAD and OPTIONS. Unknown parameters are ignored.
    </p>`;
}

const guides: readonly (readonly [name: string, title: string, text: string])[] = [
  ['getting-started', 'Getting started', 'Start a gateway, send the first queries, create a key.'],
  ['graphql-guide', 'GraphQL guide', 'One name, a streaming search, records, errors and caching.'],
  [
    'objects',
    'Objects besides names',
    'IP networks, autonomous systems, entities and nameservers.',
  ],
  ['front-end-guide', 'Front-end guide', 'Apollo, urql, Relay, graphql-sse, fetch, and React.'],
  ['rest-api', 'REST API', 'Freshness, time budgets, bulk calls and safe retries.'],
  ['mcp', 'MCP for agents', 'Tools for Claude Code, Cursor, VS Code and other agents.'],
  ['reference', 'REST reference', 'Every endpoint, with a form that sends requests.'],
  ['operations', 'Operations', 'Deployment, keys, monitoring, backups and upgrades.'],
];

const cards = html`<ul class="cards">
  ${guides.map(
    ([name, title, text]) =>
      html`<li>
        <a href="docs/${name}"><strong>${title}</strong> <span>${text}</span></a>
      </li>`,
  )}
</ul>`;

const openapiPaths = v.object({
  paths: v.record(
    v.string(),
    v.record(v.string(), v.object({ summary: v.string(), tags: v.array(v.string()) })),
  ),
});

/** Lists the implemented endpoints of the OpenAPI document. */
function endpointsTable(openapi: string): Html {
  const { paths } = v.parse(openapiPaths, JSON.parse(openapi));
  const rows = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { summary }]) => [
      html`<code>${method.toUpperCase()} ${path}</code>`,
      prose(`${summary}.`),
    ]),
  );
  return html`<p>
      The <a href="docs/reference">REST reference</a> describes them in full and can send requests.
      It is generated from <a href="openapi.json">openapi.json</a>.
    </p>
    ${table('REST endpoints', ['Endpoint', 'Purpose'], rows)}`;
}

/** The prices that `src/accounts/prices.ts` computes. */
const prices: readonly (readonly [request: string, credits: string])[] = [
  [
    'One label under several TLDs: `/v1/status` with `name`, `domains(name, tlds)`, `availability(name, tlds)`',
    '1 per started block of 50 TLDs',
  ],
  [
    'Full names: bulk, `/v1/status` with `domain`, `domains(domains)`, `availability(domains)`, `nodes`',
    '1 for one name; for more, 1 + 0.5 per name, rounded up',
  ],
  ['A single name: `domain`, `node`', '1'],
  [
    'A record, instead of the above: `/v1/rdap`, lookups at `/rdap`; `rdap`, `registrarRdap` or `registrarProblem` selected; the ID of a record',
    '2 per name; 1 for a name with a verdict but no record (`no_rdap`)',
  ],
  [
    'An object besides names: `ip`, `autnum`, `entity`, `nameserver`, `/v1/rdap` with these types; `network`, `object` or `entity` selected below a record or an object',
    '2 per object that was answered, whether it was found or not',
  ],
  [
    '`.test`, sandbox objects, INVALID and UNSUPPORTED_TLD names, problems, introspection, `account`, `tlds`, IDs of TLDs, a 304 for which no registry was queried',
    '0',
  ],
  ['`/v1/tlds`, `/v1/coverage`', '0'],
];

/** Renders the prices of requests, and how they are charged, for the page `/docs`. */
function pricesTable(): Html {
  const rows = prices.map((row) => row.map(prose));
  return html`<p>
      A key has a number of credits per calendar month (UTC). The price of a request is reserved
      before it runs. If too few credits are left, the response is 402
      <a href="docs/errors#insufficient_credits"><code>insufficient_credits</code></a> and nothing
      is looked up. Names without a verdict are refunded: the charge is the same formula over the
      names that got one. Cached answers cost the same as new ones. Callers without a key are not
      metered.
    </p>
    ${table('Prices', ['Request', 'Credits'], rows)}
    <p>
      Each name is charged once per operation, at the highest applicable price, and each object
      once. The number of <a href="docs/objects#prices-and-limits">objects</a> depends on the
      answers, so their price is reserved while the operation runs: if too few credits are left,
      only these objects have the problem <code>insufficient_credits</code>. If you close a stream
      early, you pay for the rows delivered and the lookups already sent.
    </p>
    <p>
      The headers <code>X-Credits-Requested</code>, <code>-Charged</code>,
      <code>-Refunded</code> and <code>-Remaining</code> report the cost of a request; GraphQL
      responses also have it in <code>extensions.cost</code>. The query
      <code>{ account { creditsRemaining resetsAt } }</code> returns the balance.
    </p>`;
}
