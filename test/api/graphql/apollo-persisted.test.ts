import { hash } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { createPersistedQueries } from '../../../src/api/graphql/graphql-request.ts';
import { prices } from '../../../src/execution/charging/prices.ts';
import { startFakeRegistry } from '../../support/servers/fake-registry.ts';
import { forThisFile } from '../../support/for-this-file.ts';
import { startGateway, type Json } from '../../support/gateways/gateway.ts';
import { startMeteredGateway } from '../../support/gateways/metered-gateway.ts';
import { eventsOf, remaining } from '../../support/requests/streams.ts';
import { problemExtensions } from '../../support/checks/problem-extensions.ts';

const registry = await forThisFile(startFakeRegistry);
const gateway = await forThisFile(startGateway, {
  registries: { example: registry.baseUrl },
  env: { RATE_LIMIT: '0' },
});

/** A query that no other test registers. */
let query: string;
let tests = 0;
beforeEach(() => {
  tests += 1;
  query = `query Test${tests} { domain(name: "taken.test") { available } }`;
});

const sha256 = (text: string) => hash('sha256', text);
const persistedQuery = (text: string) => ({
  persistedQuery: { version: 1, sha256Hash: sha256(text) },
});
const post = async (body: object, accept = 'application/json'): Promise<Json> =>
  (await gateway.post('/graphql', body, { accept })).json();
const get = (parameters: Record<string, unknown>, accept = 'application/json') => {
  const texts = Object.entries(parameters).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return gateway.fetch(`/graphql?${new URLSearchParams(texts)}`, { headers: { accept } });
};
const subscribe = async (body: object) =>
  remaining(eventsOf(await gateway.post('/graphql', body, { accept: 'text/event-stream' })));
const notFound = {
  errors: [
    {
      message: 'PersistedQueryNotFound',
      extensions: problemExtensions('persisted_query_not_found'),
    },
  ],
};
const result = { data: { domain: { available: false } } };

describe('a persisted query', () => {
  it('is registered by the first request that sends it with its hash, and then runs by its hash alone', async () => {
    const extensions = persistedQuery(query);
    expect(await post({ extensions })).toEqual(notFound);
    expect(await post({ query, extensions })).toEqual(result);
    for (let times = 0; times < 4; times += 1) {
      expect(await post({ extensions })).toEqual(result);
      expect(await (await get({ extensions })).json()).toEqual(result);
    }
  });

  it('can be registered by a GET, as urql does after a miss', async () => {
    const extensions = { persistedQuery: { ...persistedQuery(query).persistedQuery, miss: true } };
    expect(await (await get({ query, extensions })).json()).toEqual(result);
    expect(await post({ extensions: persistedQuery(query) })).toEqual(result);
  });

  it('accepts variables and an operation name', async () => {
    const document = `${query} query Other($name: String!) { domain(name: $name) { domain } }`;
    const extensions = persistedQuery(document);
    await post({
      query: document,
      extensions,
      operationName: 'Other',
      variables: { name: 'a.test' },
    });
    expect(
      await post({ extensions, operationName: 'Other', variables: { name: 'b.test' } }),
    ).toEqual({ data: { domain: { domain: 'b.test' } } });
    const unknownName = await post({ extensions, operationName: 'Third' });
    expect(unknownName.errors[0].extensions).toEqual(
      problemExtensions('invalid_query', { param: 'operationName' }),
    );
  });

  it('can be a subscription', async () => {
    const subscription = `subscription Test${tests} { availability(domains: ["taken.test"]) { available } }`;
    const extensions = persistedQuery(subscription);
    expect(await subscribe({ extensions })).toMatchObject([
      { event: 'next', data: notFound },
      { event: 'complete' },
    ]);
    const events = [
      { event: 'next', data: { data: { availability: { available: false } } } },
      { event: 'complete' },
    ];
    expect(await subscribe({ query: subscription, extensions })).toMatchObject(events);
    expect(await subscribe({ extensions })).toMatchObject(events);
  });

  it('is stored up to 16 KiB, and runs without being stored above', async () => {
    const long = `${query} # ${'x'.repeat(16 * 1024)}`;
    const extensions = persistedQuery(long);
    expect(await post({ query: long, extensions })).toEqual(result);
    expect(await post({ extensions })).toEqual(notFound);
  });

  it('is registered again after it was removed for others', async () => {
    const extensions = persistedQuery(query);
    for (let times = 0; times < 3; times += 1) await post({ query, extensions });
    for (let index = 0; index < 270; index += 1) {
      const other = `{ __typename } # ${index} ${'x'.repeat(15_000)}`;
      await post({ query: other, extensions: persistedQuery(other) });
    }
    expect(await (await get({ extensions })).json()).toEqual(notFound);
    expect(await post({ query, extensions })).toEqual(result);
    expect(await (await get({ extensions })).json()).toEqual(result);
  });

  it.each([
    ['does not parse', '{'],
    ['is not valid', '{ nothing }'],
    ['is too large', `{ ${'a '.repeat(2000)}}`],
  ])('is not registered if it %s', async (_why, document) => {
    const extensions = persistedQuery(document);
    await post({ query: document, extensions });
    expect(await post({ extensions })).toEqual(notFound);
  });

  it('is a 400 in the GraphQL media type and a 200 in others if it is not registered, and is not cached', async () => {
    const extensions = persistedQuery(query);
    const statuses = ['application/graphql-response+json', 'application/json', '*/*'].map(
      async (accept) => {
        const { status, headers } = await get({ extensions }, accept);
        return [status, headers.get('cache-control')];
      },
    );
    expect(await Promise.all(statuses)).toEqual([
      [400, 'no-store'],
      [200, 'no-store'],
      [200, 'no-store'],
    ]);
  });
});

describe('extensions.persistedQuery', () => {
  const path = 'extensions.persistedQuery';
  it.each([
    ['the hash of another text', { version: 1, sha256Hash: sha256('other') }, `${path}.sha256Hash`],
    [
      'a hash in upper case',
      { version: 1, sha256Hash: sha256('other').toUpperCase() },
      `${path}.sha256Hash`,
    ],
    ['no hash', { version: 1 }, `${path}.sha256Hash`],
    ['another version', { version: 2, sha256Hash: sha256('other') }, `${path}.version`],
    ['no version', { sha256Hash: sha256('other') }, `${path}.version`],
    ['a string', 'text', path],
    ['a list', [], `${path}.version`],
  ])('names the member at fault for %s, without a lookup', async (_what, sent, param) => {
    const domain = `${tests}.example`;
    const document = `{ domain(name: "${domain}") { available } }`;
    const { errors, data } = await post({ query: document, extensions: { persistedQuery: sent } });
    expect(data).toBeUndefined();
    expect(errors).toEqual([
      { message: expect.any(String), extensions: problemExtensions('invalid_query', { param }) },
    ]);
    expect(registry.requestCount(domain)).toBe(0);
  });

  it.each([null, undefined])('may be %s', async (sent) => {
    expect(await post({ query, extensions: { persistedQuery: sent, other: 1 } })).toEqual(result);
  });
});

it('a request without a query and a hash is rejected with param query', async () => {
  for (const extensions of [null, {}, { persistedQuery: null }]) {
    const { errors } = await post({ extensions });
    expect(errors[0].extensions).toEqual(problemExtensions('invalid_query', { param: 'query' }));
  }
});

it('requests without a valid key register no persisted query', async () => {
  await using metered = await startMeteredGateway();
  const customer = await metered.newCustomer({ credits: 0 });
  const extensions = persistedQuery(query);
  for (const headers of [{}, { 'x-api-key': 'wrong' }]) {
    const { status } = await metered.gateway.post('/graphql', { query, extensions }, headers);
    expect(status).toBe(401);
  }
  const byHash = async () => (await customer.post('/graphql', { extensions })).json();
  expect(await byHash()).toEqual(notFound);
  const body = await (await customer.post('/graphql', { query, extensions })).json();
  expect(body).toMatchObject(result);
  expect(await byHash()).toMatchObject({ ...result, extensions: { cost: { charged: 0 } } });
});

it('a persisted query costs as much as its document', async () => {
  await using metered = await startMeteredGateway();
  const customer = await metered.newCustomer();
  const document = '{ domain(name: "a.example") { available rdap { handle } } }';
  const extensions = persistedQuery(document);
  const record = `${prices.record(1)}`;
  const charged = async (body: object) =>
    (await customer.post('/graphql', body)).headers.get('x-credits-charged');
  expect(await charged({ extensions })).toBeNull();
  expect(await charged({ query: document, extensions })).toEqual(record);
  expect(await charged({ extensions })).toEqual(record);
});

it('the store of persisted queries removes the least recently used documents once the total exceeds 4,000,000 bytes', () => {
  const persisted = createPersistedQueries();
  persisted.set('used', 'used');
  const added = Array.from({ length: 1000 }, (_, index) => {
    persisted.set(`${index}`, 'x'.repeat(16_000));
    expect(persisted.get('used')).toBe('used');
    return `${index}`;
  });
  const stored = added.filter((sha256Hash) => persisted.get(sha256Hash) !== undefined);
  expect(stored).toEqual(added.slice(-stored.length));
  expect(stored.length * 16_000).toBeLessThanOrEqual(4_000_000);
  expect(stored.length).toBeGreaterThan(240);
});

it('the store of persisted queries counts the overhead of each entry', () => {
  const persisted = createPersistedQueries();
  for (let index = 0; index < 100_000; index += 1) persisted.set(`${index}`, 'x');
  const stored = Array.from({ length: 100_000 }, (_, index) => persisted.get(`${index}`)).filter(
    Boolean,
  );
  expect(stored.length).toBeLessThan(20_000);
});
