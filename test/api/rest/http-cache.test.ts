import { Agent, cacheStores, interceptors, request, type Dispatcher } from 'undici';
import { beforeEach, describe, expect, it } from 'vitest';
import { generateKey } from '../../../src/accounts/api-key.ts';
import { forThisFile } from '../../support/for-this-file.ts';
import { startMeteredGateway, type Customer } from '../../support/gateways/metered-gateway.ts';
import { registered } from '../../support/bodies/replies.ts';

let customer: Customer;
/** The HTTP cache of one client (RFC 9111). */
let cache: Dispatcher;
/** The `If-None-Match` of each request that reached the gateway. */
let forwarded: unknown[];

const metered = await forThisFile(startMeteredGateway);
metered.registry.on(/^taken/, ({ name }) => registered(name));

beforeEach(async () => {
  customer = await metered.newCustomer();
  cache = cacheOf('private');
});

function cacheOf(type: 'private' | 'shared'): Dispatcher {
  forwarded = [];
  const recordRequest: Dispatcher.DispatcherComposeInterceptor =
    (dispatch) => (options, handler) => {
      forwarded.push(new Headers(options.headers as Record<string, string>).get('if-none-match'));
      return dispatch(options, handler);
    };
  return new Agent().compose(
    recordRequest,
    interceptors.cache({ type, store: new cacheStores.MemoryCacheStore() }),
  );
}

async function send(path: string, headers: Record<string, string>) {
  const response = await request(new URL(path, metered.gateway.url), {
    dispatcher: cache,
    headers,
  });
  return {
    status: response.statusCode,
    etag: response.headers['etag'],
    body: await response.body.text(),
  };
}

const get = (path: string, headers: Record<string, string> = {}) =>
  send(path, { 'x-api-key': customer.key, ...headers });

const paths = [
  '/v1/status?domain=taken.example',
  '/v1/rdap?domain=taken.example',
  '/v1/status?name=taken&tlds=example,test',
] as const;

it.each(paths)('lets a cache serve repeated requests: %s', async (path) => {
  expect(await get(path)).toEqual(await get(path));
  expect(forwarded).toEqual([null]);
});

it.each(paths)('lets a cache revalidate a response free of charge: %s', async (path) => {
  const first = await get(path);
  const { used } = await customer.balance();
  expect(await get(path, { 'cache-control': 'no-cache' })).toEqual(first);
  expect(forwarded).toEqual([null, first.etag]);
  expect((await customer.balance()).used).toBe(used);
});

it.each(paths)(
  'keeps caches from mixing up responses with different key naming: %s',
  async (path) => {
    const snake = { 'service-naming': 'snake' };
    const [plain, named] = [await get(path), await get(path, snake)];
    expect([await get(path, snake), await get(path)]).toEqual([named, plain]);
    expect(forwarded).toHaveLength(2);
  },
);

it('keeps caches from mixing up JSON and CSV', async () => {
  const csv = { accept: 'text/csv' };
  const [json, rows] = [await get(paths[0]), await get(paths[0], csv)];
  expect([await get(paths[0], csv), await get(paths[0])]).toEqual([rows, json]);
  expect(forwarded).toHaveLength(2);
});

describe.each([...paths, '/probe?target=taken.example'])('a cached response of %s', (path) => {
  it.each([
    ['without a key', 401, () => ({})],
    ['with an invalid key', 401, () => ({ 'x-api-key': generateKey() })],
    [
      'with an invalid key in Authorization',
      401,
      () => ({ authorization: `Bearer ${generateKey()}` }),
    ],
    [
      'with two keys',
      401,
      () => ({ 'x-api-key': customer.key, authorization: `Bearer ${generateKey()}` }),
    ],
  ])('is not reused for a request %s', async (_what, status, headers) => {
    await get(path);
    expect((await send(path, headers())).status).toBe(status);
  });
});

it.each(paths)(
  'keeps caches from mixing up callers, whichever header contains the key: %s',
  async (path) => {
    const other = await metered.newCustomer();
    const first = await get(path);
    const second = await send(path, { 'x-api-key': other.key });
    const third = await send(path, { authorization: `Bearer ${other.key}` });
    expect([second.status, third.status]).toEqual([200, 200]);
    expect(second.etag).not.toBe(first.etag);
    expect(third.etag).toBe(second.etag);
    expect(forwarded).toHaveLength(3);
    expect((await other.balance()).used).toBeGreaterThan(0);
    // The cache still has a response for each of them.
    expect(await get(path)).toEqual(first);
    expect(await send(path, { 'x-api-key': other.key })).toEqual(second);
    expect(forwarded).toHaveLength(3);
  },
);

it('rejects another origin than that of a cached response', async () => {
  const origin = 'https://app.example';
  const bound = await metered.newCustomer({ origins: [origin] });
  const from = (page: string) => send(paths[0], { 'x-api-key': bound.key, origin: page });
  expect((await from(origin)).status).toBe(200);
  expect((await from('https://other.example')).status).toBe(403);
});

it.each([
  ['the request has max_age=0', `${paths[0]}&max_age=0`],
  ['a row has no verdict', '/v1/status?domain=taken.example,down.test'],
  ['the registry fails', '/v1/rdap?domain=down.test'],
  ['the request is invalid', '/v1/rdap'],
  ['no row needs a registry', '/v1/status?domain=a_b.example'],
])('does not let a cache serve repeated requests if %s', async (_why, path) => {
  await get(path);
  await get(path);
  expect(forwarded).toHaveLength(2);
});

it('prevents shared caches from storing responses', async () => {
  cache = cacheOf('shared');
  await get(paths[0]);
  await get(paths[0]);
  expect(forwarded).toEqual([null, null]);
});
