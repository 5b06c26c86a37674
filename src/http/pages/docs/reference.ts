import type { Description, Operation } from './description.ts';
import { guides } from './guides.ts';
import { contents, html, prose, sections, table, type Html, type Section } from './html.ts';
import type { Page } from './layout.ts';
import { headersTable, membersTable, omitShared, statusTable } from './members.ts';
import { pricesTable } from './prices.ts';
import { routeSection } from './route-section.ts';

/** Renders the reference: every route with its parameters and responses, and the meaning of their members. */
export function referencePage(description: Description, baseUrl: string, graphiql: boolean): Page {
  const tagged = operationsByTag(description);
  const parts: readonly Section[] = [
    ...[...tagged('Names'), ...tagged('TLDs')].map(([name, operation]) =>
      routeSection(name, operation),
    ),
    ...memberSections(description),
    { id: 'headers', title: 'Headers of answers', body: headersTable(description) },
    { id: 'prices', title: 'What a call costs', body: pricesTable() },
    ...guides(baseUrl, graphiql),
    { id: 'not-served', title: 'Known by name, not served', body: notServed(tagged('Not served')) },
    { id: 'operation', title: 'For whoever runs it', body: forOperators(tagged('Operation')) },
  ];
  return {
    name: '',
    title: 'Reference',
    body: html`${introduction(baseUrl)}${contents(parts)}${sections(parts)}`,
  };
}

function memberSections({ components: { schemas } }: Description): readonly Section[] {
  const {
    Row: row,
    DomainRecord: record,
    Summary: summary,
    Tally: sums,
    CoveredTld: tld,
    Coverage: coverage,
  } = schemas;
  return [
    { id: 'row', title: 'A row', body: membersTable('Members of a row', row) },
    { id: 'status', title: 'The words of status', body: statusTable(row) },
    {
      id: 'record',
      title: 'What a record has besides',
      body: membersTable('Members of a record', omitShared(record, row)),
    },
    {
      id: 'summary',
      title: 'The sums of a status call',
      body: membersTable('Members of meta of /v1/status', summary),
    },
    { id: 'meta', title: 'The sums of a bulk call', body: membersTable('Members of meta', sums) },
    {
      id: 'tlds',
      title: 'TLDs and coverage',
      body: html`${membersTable('Members of a TLD', tld)}${membersTable('Members of a coverage', coverage)}
      ${membersTable('Members of rdap_health', schemas.RegistryHealth)}`,
    },
  ];
}

type Named = readonly [name: string, operation: Operation];

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
      Whether a domain name is free, and who holds it, asked of the registry itself over RDAP. The
      base address is <code>${baseUrl}</code>. Names under <code>.test</code> are answered by a
      registry inside the gateway, so the examples work anywhere and cost nothing. Where a key is
      needed, send it as <code>X-API-Key</code>.
    </p>
    <p>
      Keys of answers are snake_case. With <code>naming=snake</code>, or the header
      <code>Service-Naming: snake</code>, those of the registry’s own object are too. Every path
      takes HEAD as GET, and OPTIONS. Parameters that nobody knows are ignored.
    </p> `;
}

function notServed(operations: readonly Named[]): Html {
  return html`<p>
      These paths are part of the API. Here they answer 501
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
  return table('Paths for whoever runs it', ['Path', 'What it says'], rows);
}
