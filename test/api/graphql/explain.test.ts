import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { prices } from '../../../src/execution/charging/prices.ts';
import { receiptPrice } from '../../../src/receipts/receipts.ts';
import { features } from '../../../src/sites/features.ts';
import { creditsPerMonth } from '../../../src/watches/watch-rows.ts';
import { startFakeRegistry } from '../../support/servers/fake-registry.ts';
import { forThisFile } from '../../support/for-this-file.ts';
import type { Json } from '../../support/gateways/gateway.ts';
import {
  startMeteredGateway,
  tlds,
  type Customer,
} from '../../support/gateways/metered-gateway.ts';
import { autnum, network } from '../../support/bodies/registry-objects.ts';
import { registered } from '../../support/bodies/replies.ts';

const objects = await forThisFile(startFakeRegistry);
const { registry, newCustomer } = await forThisFile(startMeteredGateway, {
  objects: { ipv4: { '8.0.0.0/8': objects.baseUrl }, asn: { '64300-64310': objects.baseUrl } },
});
const customer = await newCustomer({ credits: 1e6 });
beforeAll(() => {
  objects.on(/^ip\//, network('8.8.0.0', '8.8.255.255'));
  objects.on(/^autnum\//, autnum(64300));
  registry.on(/^taken/, ({ name }) => registered(name));
});

const json = 'application/json';

async function explain(query: string, by: Customer = customer) {
  const body = JSON.stringify({ query, extensions: { explain: 'cost' } });
  const init = { method: 'POST', body, headers: { 'content-type': json } };
  const response = await by.fetch('/graphql', init);
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Json,
  };
}

const name = fc.constantFrom(
  'taken.example',
  'a.example',
  'A.EXAMPLE',
  'b.tld1',
  'a.test',
  'no name',
);
const label = fc.constantFrom('a', 'taken');
const names = fc.array(name, { minLength: 1, maxLength: 12 });
const suffixes = fc.array(fc.constantFrom('example', 'test', ...tlds(70)), {
  minLength: 1,
  maxLength: 70,
});
const row = fc.constantFrom(
  'domain',
  'status available',
  '...f',
  'registration { handle }',
  'rdap { handle } status',
  'registration @skip(if: true) { handle } domain',
  'phase',
);
const list = (entries: readonly string[]) => JSON.stringify(entries);
const roots = fc.oneof(
  fc.tuple(name, row).map(([each, rows]) => `domain(name: "${each}") { ${rows} }`),
  fc.tuple(names, row).map(([each, rows]) => `domains(domains: ${list(each)}) { ${rows} }`),
  fc.tuple(names, row).map(([each, rows]) => `domains(by: {names: ${list(each)}}) { ${rows} }`),
  fc
    .tuple(label, suffixes, row)
    .map(
      ([each, tld, rows]) =>
        `domains(by: {search: {label: "${each}", tlds: ${list(tld)}}}) { ${rows} }`,
    ),
  fc
    .tuple(names, row)
    .map(([each, rows]) => `nodes(ids: ${list(each)}) { ... on Domain { ${rows} } }`),
  fc.tuple(names, row).map(([each, rows]) => {
    const references = each
      .map((domain) => `{__typename: "Domain", domain: "${domain}"}`)
      .join(', ');
    return `_entities(representations: [${references}, {__typename: "Autnum", startNumber: 64300}]) { ... on Domain { ${rows} } ... on Autnum { name } }`;
  }),
  fc.constantFrom(
    'ip(address: "8.8.8.8") { name }',
    'ip(address: "8.8.8.9") { __typename }',
    'ip(address: "192.0.2.1") { name }',
    'ip(address: "no") { name }',
    'autnum(number: 64300) { name }',
    'autnum(number: "AS64300", maxAge: 5) { name }',
    'tlds { nodes { label } }',
    'account { name }',
    'watches { edges { node { domain } } }',
  ),
);
const documents = fc.array(roots, { minLength: 1, maxLength: 4 }).map((fields) => {
  const selected = fields.map((field, index) => `r${index}: ${field}`).join(' ');
  return selected.includes('...f')
    ? `{ ${selected} } fragment f on Domain { status rdap { handle } }`
    : `{ ${selected} }`;
});

describe('`extensions.explain`', () => {
  it('returns what a run reserves, for random documents', async () => {
    await fc.assert(
      fc.asyncProperty(documents, async (query) => {
        const { body } = await explain(query);
        const run = await customer.graphql(query);
        const requested = Number(run.headers.get('x-credits-requested'));
        expect([body.data, body.extensions], query).toEqual([
          {},
          { explain: { credits: requested, atMost: requested } },
        ]);
      }),
      { numRuns: 60 },
    );
  });

  it('is free, runs nothing and needs no credits, by GET and POST', async () => {
    const poor = await newCustomer({ credits: 0 });
    const before = registry.requests.length;
    const query =
      'subscription { availability(by: { names: ["a.example", "b.example"] }) { status } }';
    const expected = { data: {}, extensions: { explain: { credits: 2, atMost: 2 } } };
    const post = await explain(query, poor);
    const search = new URLSearchParams({ query, extensions: '{"explain":"cost"}' });
    const get = await poor.fetch(`/graphql?${String(search)}`, { headers: { accept: json } });
    expect(post.status).toBe(200);
    expect(post.body).toEqual(expected);
    expect(get.status).toBe(200);
    expect(await get.json()).toEqual(expected);
    expect([registry.requests.length, (await poor.balance()).used]).toEqual([before, 0]);
    expect(post.headers.get('x-credits-requested')).toBeNull();
    expect(get.headers.get('cache-control')).toBe('no-store');
    const events = await customer.fetch('/graphql', {
      method: 'POST',
      headers: { 'content-type': json, accept: 'text/event-stream' },
      body: JSON.stringify({ query, extensions: { explain: 'cost' } }),
    });
    expect(await events.text()).toContain('"credits":2');
  });

  it.each([
    ['{ nothing }', 'invalid_query'],
    ['query ($n: String!) { domain(name: $n) { status } }', 'invalid_query'],
    [
      `{ domains(domains: ${list(Array.from({ length: 501 }, (_, i) => `n${i}.example`))}) { status } }`,
      'too_many_lookups',
    ],
    [
      `{ ${Array.from({ length: 51 }, (_, i) => `a${i}: account { name }`).join(' ')} }`,
      'query_too_large',
    ],
    ['{ domain(name: "a.example") { dns(maxAge: -1) { a } } }', 'invalid_max_age'],
  ])('keeps the code of a document that is refused: %s', async (query, code) => {
    const run = (await (await customer.graphql(query)).json()) as Json;
    const { body } = await explain(query);
    expect(body.data).toBeUndefined();
    expect(body.errors[0].extensions.code).toEqual(code);
    expect(body.errors).toEqual(run.errors);
  });

  it('names an argument that is invalid', async () => {
    const { body } = await explain(
      '{ domain(name: "no name") { status } domains(by: { names: [] }) { status } }',
    );
    expect(body.errors.map(({ extensions }: Json) => [extensions.code, extensions.param])).toEqual([
      ['invalid_name', 'name'],
      ['missing_parameter', 'by.names'],
    ]);
    const response = await customer.fetch('/graphql', {
      method: 'POST',
      headers: { 'content-type': json },
      body: JSON.stringify({ query: '{ __typename }', extensions: { explain: 'plan' } }),
    });
    const { errors } = (await response.json()) as Json;
    expect(errors[0].extensions.code).toBe('invalid_query');
    expect(errors[0].extensions.param).toBe('extensions.explain');
  });

  it.each([
    [
      '{ domain(name: "a.example") { registration { registrar { entity { handle } } } } }',
      2,
      2 + prices.object(500),
    ],
    ['{ ip(address: "8.8.8.8") { entities { entity { handle } } } }', 2, prices.object(500)],
    [
      '{ ip(address: "8.8.8.8") { name } _entities(representations: [{ __typename: "IpNetwork", startAddress: "8.8.8.8" }, { __typename: "IpNetwork", startAddress: "8.8.9.9" }]) { ... on IpNetwork { name } } }',
      prices.object(2),
      prices.object(2),
    ],
    ['{ domain(name: "a.test") { registration { registrar { entity { handle } } } } }', 0, 0],
    [
      '{ domain(name: "a.example") { abuseContacts { source } } }',
      prices.record(1) + features.dns.lookup.price,
      // The networks of ten addresses.
      prices.record(1) + features.dns.lookup.price + prices.object(10),
    ],
    ['{ changes(first: 3) { edges { node { domain { domain didYouMean } } } } }', 0, 0],
    ['{ changes(first: 3) { edges { node { domain { status } } } } }', 0, prices.record(3)],
    ['subscription { changes { domain { status } } }', 0, null],
    ['subscription { changes { domain { domain } } }', 0, 0],
    [
      'mutation { watch(domains: ["a.example", "A.example", "a.test", "no name"]) { domain } }',
      creditsPerMonth,
      creditsPerMonth,
    ],
    [
      'mutation { a: createReceipt(domain: "a.example") { id } b: createReceipt(domain: "a.test") { id } }',
      receiptPrice,
      receiptPrice,
    ],
    [
      'mutation { a: createReceipt(domain: "a.example") { id } b: createReceipt(domain: "no name") { id } }',
      0,
      0,
    ],
  ])('bounds what is found while it runs: %s', async (query, credits, atMost) => {
    const { body } = await explain(query);
    expect([body.errors, body.extensions?.explain]).toEqual([undefined, { credits, atMost }]);
  });
});
