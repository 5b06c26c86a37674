import * as v from 'valibot';
import { codeTabs } from './code-block.ts';
import { html, prose, sections, table, type Html, type Section } from './html.ts';
import type { Page } from './page.ts';
import { pricesTable } from './prices.ts';

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
