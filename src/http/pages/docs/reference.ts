import type { Description, OpenapiOperation, Shape } from './description.ts';
import { contents, html, prose, sections, table, type Html, type Section } from './html.ts';
import type { Page } from './layout.ts';
import { headersTable, membersTable, omitShared, statusTable } from './members.ts';
import { pricesTable } from './prices.ts';
import { routeSection } from './route-section.ts';

/** Renders the REST reference: every route with its parameters and responses, and the members of these. */
export function referencePage(description: Description, baseUrl: string): Page {
  const tagged = operationsByTag(description);
  const parts: readonly Section[] = [
    ...[...tagged('Names'), ...tagged('TLDs')].map(([name, operation]) =>
      routeSection(name, operation),
    ),
    ...memberSections(description),
    { id: 'headers', title: 'Response headers', body: headersTable(description) },
    { id: 'prices', title: 'Prices', body: pricesTable() },
    { id: 'operation', title: 'Operator endpoints', body: forOperators(tagged('Operation')) },
    { id: 'not-served', title: 'Not implemented', body: notServed(tagged('Not served')) },
  ];
  return {
    name: '',
    title: 'REST reference',
    body: html`${introduction(baseUrl)}${contents(parts)}${sections(parts)}`,
  };
}

function memberSections({ components: { schemas } }: Description): readonly Section[] {
  return [
    fieldsSection('row', 'Result object', schemas.Row),
    { id: 'status', title: 'Status values', body: statusTable(schemas.Row) },
    fieldsSection(
      'record',
      'Additional fields of /v1/rdap',
      omitShared(schemas.DomainRecord, schemas.Row),
    ),
    fieldsSection('summary', 'Totals of a status call (meta)', schemas.Summary),
    fieldsSection('meta', 'Totals of a bulk call (meta)', schemas.Tally),
    {
      id: 'tlds',
      title: 'TLDs and coverage',
      body: html`${membersTable('Fields of a TLD', schemas.CoveredTld)}${membersTable('Fields of the coverage', schemas.Coverage)}
      ${membersTable('Fields of rdap_health', schemas.RegistryHealth)}`,
    },
  ];
}

function fieldsSection(id: string, title: string, shape: Shape): Section {
  return { id, title, body: membersTable(title, shape) };
}

type Named = readonly [name: string, operation: OpenapiOperation];

function operationsByTag({ paths }: Description): (tag: string) => readonly Named[] {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Named => [
      `${method.toUpperCase()} ${path}`,
      operation,
    ]),
  );
  return (tag) => all.filter(([, { tags }]) => tags.includes(tag));
}

function introduction(baseUrl: string): Html {
  return html`<p>
      RDAP Gateway looks up domain names at their registries, over GraphQL and REST. New here? Read
      <a href="docs/getting-started">Getting started</a>. This page is the reference of the REST
      API, generated from its <a href="openapi.json">OpenAPI description</a>;
      <a href="docs/rest-api">REST API</a> explains freshness, time budgets, bulk calls and retries.
    </p>
    <p>
      The base URL is <code>${baseUrl}</code>. If the gateway requires a key, send it in
      <code>X-API-Key</code>. The examples use <code>.test</code> names, which the built-in sandbox
      answers: they work without internet access and cost no credits. Every endpoint that supports
      GET also supports HEAD and OPTIONS. Unknown parameters are ignored.
    </p> `;
}

function notServed(operations: readonly Named[]): Html {
  return html`<p>
      These endpoints of the public <code>/v1</code> API are not implemented. They return 501
      <a href="docs/errors#not_implemented"><code>not_implemented</code></a
      >, with or without a key.
    </p>
    <ul class="index">
      ${operations.map(([name]) => html`<li><code>${name}</code></li>`)}
    </ul>`;
}

function forOperators(operations: readonly Named[]): Html {
  const rows = operations.map(([name, { summary }]) => [
    html`<code>${name}</code>`,
    prose(`${summary}.`),
  ]);
  return table('Operator endpoints', ['Endpoint', 'Description'], rows);
}
