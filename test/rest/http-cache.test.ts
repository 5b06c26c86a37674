import { Agent, cacheStores, interceptors, request, type Dispatcher } from 'undici';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startMeteredGateway, type Customer, type MeteredGateway } from '../support/metered-gateway.ts';
import { registered } from '../support/replies.ts';

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
  return new Agent().compose(count, interceptors.cache({ type, store: new cacheStores.MemoryCacheStore() }));
}

async function ask(path: string, headers: Record<string, string> = {}) {
  const all = { 'x-api-key': customer.key, ...headers };
  const answer = await request(new URL(path, metered.gateway.url), { dispatcher: cache, headers: all });
  return { status: answer.statusCode, etag: answer.headers['etag'], body: await answer.body.text() };
}

const paths = ['/v1/status?domain=taken.example', '/v1/rdap?domain=taken.example', '/v1/status?name=taken&tlds=example,test'] as const;

it.each(paths)('a cache answers again without asking the gateway: %s', async (path) => {
  expect(await ask(path)).toEqual(await ask(path));
  expect(passedOn).toEqual([null]);
});

it.each(paths)('a cache that wants to be sure is told that nothing changed, and that is free: %s', async (path) => {
  const first = await ask(path);
  const { used } = await customer.balance();
  expect(await ask(path, { 'cache-control': 'no-cache' })).toEqual(first);
  expect(passedOn).toEqual([null, first.etag]);
  expect((await customer.balance()).used).toBe(used);
});

it.each(paths)('an answer in one naming is not given for another: %s', async (path) => {
  const snake = { 'service-naming': 'snake' };
  const [plain, named] = [await ask(path), await ask(path, snake)];
  expect([await ask(path, snake), await ask(path)]).toEqual([named, plain]);
  expect(passedOn).toHaveLength(2);
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
