import { Agent, cacheStores, interceptors, request, type Dispatcher } from 'undici';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { generateKey } from '../../../src/accounts/api-key.ts';
import {
  startMeteredGateway,
  type Customer,
  type MeteredGateway,
} from '../../support/metered-gateway.ts';
import { registered } from '../../support/replies.ts';

let metered: MeteredGateway;
let customer: Customer;
/** The cache of one client, as HTTP (RFC 9111) has it. */
let cache: Dispatcher;
/** What it did not know by itself: the `If-None-Match` of each request that reached the gateway. */
let passedOn: unknown[];

beforeAll(async () => {
  metered = await startMeteredGateway();
  metered.registry.on(/^taken/, ({ name }) => registered(name));
});
beforeEach(async () => {
  customer = await metered.newCustomer();
  cache = cacheOf('private');
});
afterAll(() => metered[Symbol.asyncDispose]());

function cacheOf(type: 'private' | 'shared'): Dispatcher {
  passedOn = [];
  const count: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
    passedOn.push(new Headers(options.headers as Record<string, string>).get('if-none-match'));
    return dispatch(options, handler);
  };
  return new Agent().compose(
    count,
    interceptors.cache({ type, store: new cacheStores.MemoryCacheStore() }),
  );
}

async function send(path: string, headers: Record<string, string>) {
  const answer = await request(new URL(path, metered.gateway.url), { dispatcher: cache, headers });
  return {
    status: answer.statusCode,
    etag: answer.headers['etag'],
    body: await answer.body.text(),
  };
}

const ask = (path: string, headers: Record<string, string> = {}) =>
  send(path, { 'x-api-key': customer.key, ...headers });

const paths = [
  '/v1/status?domain=taken.example',
  '/v1/rdap?domain=taken.example',
  '/v1/status?name=taken&tlds=example,test',
] as const;

it.each(paths)('a cache answers again without asking the gateway: %s', async (path) => {
  expect(await ask(path)).toEqual(await ask(path));
  expect(passedOn).toEqual([null]);
});

it.each(paths)(
  'a cache that wants to be sure is told that nothing changed, and that is free: %s',
  async (path) => {
    const first = await ask(path);
    const { used } = await customer.balance();
    expect(await ask(path, { 'cache-control': 'no-cache' })).toEqual(first);
    expect(passedOn).toEqual([null, first.etag]);
    expect((await customer.balance()).used).toBe(used);
  },
);

it.each(paths)('an answer in one naming is not given for another: %s', async (path) => {
  const snake = { 'service-naming': 'snake' };
  const [plain, named] = [await ask(path), await ask(path, snake)];
  expect([await ask(path, snake), await ask(path)]).toEqual([named, plain]);
  expect(passedOn).toHaveLength(2);
});

describe.each(paths)('what one caller got from %s', (path) => {
  it.each([
    ['without a key', 401, () => ({})],
    ['with a wrong key', 401, () => ({ 'x-api-key': generateKey() })],
    [
      'with a wrong key as Authorization',
      401,
      () => ({ authorization: `Bearer ${generateKey()}` }),
    ],
    [
      'with two keys',
      401,
      () => ({ 'x-api-key': customer.key, authorization: `Bearer ${generateKey()}` }),
    ],
  ])('is not given to a request %s', async (_what, status, headers) => {
    await ask(path);
    expect((await send(path, headers())).status).toBe(status);
  });

  it('is not given to another, in whichever header the keys are sent', async () => {
    const other = await metered.newCustomer();
    const first = await ask(path);
    const second = await send(path, { 'x-api-key': other.key });
    const third = await send(path, { authorization: `Bearer ${other.key}` });
    expect([second.status, third.status]).toEqual([200, 200]);
    expect(second.etag).not.toBe(first.etag);
    expect(third.etag).toBe(second.etag);
    expect(passedOn).toHaveLength(3);
    expect((await other.balance()).used).toBeGreaterThan(0);
    // What a cache stored for each of them is still theirs.
    expect([await ask(path), await send(path, { 'x-api-key': other.key })]).toEqual([
      first,
      second,
    ]);
    expect(passedOn).toHaveLength(3);
  });
});

it('a key that works from one origin only is rejected from another', async () => {
  const origin = 'https://app.example';
  const bound = await metered.newCustomer({ origins: [origin] });
  const from = (page: string) => send(paths[0], { 'x-api-key': bound.key, origin: page });
  expect([(await from(origin)).status, (await from('https://other.example')).status]).toEqual([
    200, 403,
  ]);
});

it.each([
  ['the registry is to be asked each time', `${paths[0]}&max_age=0`],
  ['a row is not known', '/v1/status?domain=taken.example,down.test'],
  ['the registry failed', '/v1/rdap?domain=down.test'],
  ['the call is wrong', '/v1/rdap'],
  ['nobody was asked', '/v1/status?domain=a_b.example'],
])('the gateway is asked again where %s', async (_why, path) => {
  await ask(path);
  await ask(path);
  expect(passedOn).toHaveLength(2);
});

it('a cache that many share keeps nothing', async () => {
  cache = cacheOf('shared');
  await ask(paths[0]);
  await ask(paths[0]);
  expect(passedOn).toEqual([null, null]);
});
