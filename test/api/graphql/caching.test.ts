import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Agent, fetch as fetchOverAgent, interceptors } from 'undici';
import { forThisFile } from '../../support/for-this-file.ts';
import { callerWith, costIn, startMeteredGateway } from '../../support/gateways/metered-gateway.ts';
import { html, notFound, registered } from '../../support/bodies/replies.ts';
import { paused, sequence } from '../../support/bodies/scripts.ts';
import { frozenClock } from '../../support/time/frozen-clock.ts';

const clock = frozenClock();
const metered = await forThisFile(startMeteredGateway, { clock });
metered.registry.on(/^taken/, ({ name }) => registered(name));
metered.registry.on(/^html/, html(404));
const customer = await metered.newCustomer();

const day = 86_400;
let names = 0;
const newName = (prefix: string) => `${prefix}${names++}.example`;

const pathOf = (query: string) => `/graphql?${new URLSearchParams({ query })}`;
const get = (query: string, headers: Record<string, string> = {}, caller = customer) =>
  caller.fetch(pathOf(query), { headers });
const one = (name: string, fields = 'available', args = '') =>
  `{ domain(name: "${name}"${args}) { ${fields} } }`;
const cachedFor = ({ headers }: Response) => [headers.get('age'), headers.get('cache-control')];
const etagOf = ({ headers }: Response) => headers.get('etag') ?? '';

describe('the response to a GraphQL GET', () => {
  it('may be cached by its caller while the verdict is fresh', async () => {
    const query = one(newName('taken'));
    const first = await get(query);
    expect(cachedFor(first)).toEqual(['0', `private, max-age=${day}`]);
    expect(first.headers.get('vary')).toBe('Accept, X-API-Key, Authorization');
    clock.advance(100_000);
    expect(cachedFor(await get(query))).toEqual(['100', `private, max-age=${day - 100}`]);
  });

  it('may be cached for the shortest freshness of its verdicts', async () => {
    const query = `{ a: ${one(newName('taken')).slice(2, -2)} domains(domains: ["${newName('free')}", "not a name"]) { available } }`;
    expect(cachedFor(await get(query))).toEqual(['0', 'private, max-age=300']);
  });

  it('may be cached for at most the smallest maxAge in the query', async () => {
    const fields = [', maxAge: 2000', ', maxAge: 1000', ''].map(
      (args, index) => `f${index}: ${one(newName('taken'), 'available', args).slice(2, -2)}`,
    );
    expect(cachedFor(await get(`{ ${fields.join(' ')} }`))).toEqual(['0', 'private, max-age=1000']);
  });

  it('reads empty parameters as absent', async () => {
    const empty = '&operationName=&variables=&extensions=&documentId=';
    const response = await customer.fetch(
      `/graphql?query=${encodeURIComponent('query One { __typename }')}${empty}`,
    );
    expect(await response.json()).toMatchObject({ data: { __typename: 'Query' } });
  });

  it.each([
    ['maxAge is 0', () => one(newName('taken'), 'available', ', maxAge: 0')],
    [
      'a verdict is UNKNOWN',
      () => `{ domains(domains: ["${newName('taken')}", "${newName('html')}"]) { status } }`,
    ],
    [
      'an argument is not valid',
      () => `{ a: ${one(newName('taken')).slice(2, -2)} domain(name: "a b") { available } }`,
    ],
    ['the document is not valid', () => '{ nothing }'],
    ['the document does not parse', () => '{'],
  ])('must not be cached if %s', async (_reason, query) => {
    expect((await get(query())).headers.get('cache-control')).toBe('no-store');
  });

  it('must not be cached if a row is PENDING', async () => {
    const name = newName('slow');
    const reply = paused(notFound());
    metered.registry.on(name, reply);
    const response = await get(
      `{ domains(domains: ["${newName('taken')}", "${name}"], budgetMs: 0) { status } }`,
    );
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.text()).toContain('PENDING');
    reply.release();
  });

  it.each(
    Object.entries({
      'the balance of an account': (name: string) =>
        `{ account { creditsUsed } domain(name: "${name}") { available } }`,
      'the health of registries': (name: string) =>
        `{ tlds(first: 1) { nodes { health { queued } } } domain(name: "${name}") { available } }`,
      "the registrar's record": (name: string) => one(name, 'registrarRdap { handle }'),
      'no lookup': () => '{ __typename }',
    }),
  )('must be revalidated if it contains %s', async (_field, query) => {
    const response = await get(query(newName('taken')));
    expect([response.headers.get('cache-control'), etagOf(response)]).toEqual([
      'private, no-cache',
      expect.stringMatching(/^W\//),
    ]);
  });

  it('has an ETag, unlike responses to POST and streams', async () => {
    const query = one(newName('taken'));
    const post = await customer.graphql(query);
    const stream = await get(query, { accept: 'text/event-stream' });
    expect([post, stream].map(({ headers }) => headers.get('etag'))).toEqual([null, null]);
    expect(stream.headers.get('cache-control')).toBe('no-store');
  });
});

describe('If-None-Match', () => {
  it.each(['GET', 'HEAD'])(
    'makes the response to %s a free 304 if no registry was queried',
    async (method) => {
      const query = one(newName('taken'), 'available rdap { handle }');
      const first = await get(query);
      const { used } = await customer.balance();
      const response = await customer.fetch(pathOf(query), {
        method,
        headers: { 'if-none-match': etagOf(first) },
      });
      expect(response.status).toBe(304);
      expect(await response.text()).toBe('');
      expect(etagOf(response)).toEqual(etagOf(first));
      expect(cachedFor(response)).toEqual(cachedFor(first));
      expect(response.headers.get('vary')).toBe('Accept, X-API-Key, Authorization');
      expect(costIn(response)).toMatchObject({ charged: 0 });
      expect((await customer.balance()).used).toBe(used);
    },
  );

  it('does not prevent the charge if a registry was queried', async () => {
    const name = newName('taken');
    const first = await get(one(name));
    clock.advance((day + 1) * 1000);
    const response = await get(one(name), { 'if-none-match': etagOf(first) });
    expect(response.status).toBe(304);
    expect(metered.registry.requestCount(name)).toBe(2);
    expect(costIn(response).charged).toBe(1);
  });

  it('has no effect once the result has changed', async () => {
    const name = newName('sold');
    metered.registry.on(name, sequence([notFound(), registered(name)]));
    const etag = etagOf(await get(one(name)));
    clock.advance(301_000);
    const response = await get(one(name), { 'if-none-match': etag });
    expect([response.status, etagOf(response) === etag]).toEqual([200, false]);
    expect(await response.json()).toMatchObject({ data: { domain: { available: false } } });
  });

  it('has no effect with the ETag of another account', async () => {
    const query = one(newName('taken'));
    const other = await metered.newCustomer();
    const etag = etagOf(await get(query));
    expect((await get(query, { 'if-none-match': etag }, other)).status).toBe(200);
    expect(etagOf(await get(query, {}, other))).not.toBe(etag);
  });
});

it('a private cache serves a repeated persisted query, but never the response for another key', async () => {
  await using cached = await cachingClient();
  const name = newName('taken');
  const query = one(name);
  const extensions = JSON.stringify({
    persistedQuery: { version: 1, sha256Hash: hash('sha256', query) },
  });
  const path = `/graphql?${new URLSearchParams({ extensions })}`;
  const [first, other] = [customer.key, (await metered.newCustomer()).key].map((key) =>
    callerWith(key, cached.fetch),
  );
  // The first gets PersistedQueryNotFound, which is not cached.
  await first?.fetch(path);
  await customer.post('/graphql', { query, extensions: JSON.parse(extensions) });

  const responses = [await first?.fetch(path), await first?.fetch(path)];
  const ids = responses.map((response) => response?.headers.get('x-request-id'));
  expect(await responses[1]?.json()).toMatchObject({ data: { domain: { available: false } } });
  expect(ids[1]).toBe(ids[0]);
  const otherResponse = await other?.fetch(path);
  expect(otherResponse?.status).toBe(200);
  expect(ids.includes(otherResponse?.headers.get('x-request-id'))).toBe(false);
  expect((await cached.fetch(path)).status).toBe(401);
  expect((await callerWith('wrong', cached.fetch).fetch(path)).status).toBe(401);
});

/** Returns a client with a private cache, like a browser. */
async function cachingClient() {
  const agent = new Agent();
  const dispatcher = agent.compose(interceptors.cache({ type: 'private' }));
  const fetch = (path: string, { headers = {} }: RequestInit = {}) =>
    fetchOverAgent(new URL(path, metered.gateway.url), {
      dispatcher,
      headers: Object.fromEntries(new Headers(headers)),
    }) as unknown as Promise<Response>;
  return { fetch, [Symbol.asyncDispose]: () => agent.close() };
}
