import { beforeEach, expect, it } from 'vitest';
import { forThisTest } from '../support/for-this-test.ts';
import { frozenClock, type FrozenClock } from '../support/time/frozen-clock.ts';
import type { Caller } from '../support/gateways/metered-gateway.ts';
import { startSiteGateway, type SiteGateway } from '../support/gateways/site-gateway.ts';

// Limits: 600 requests per minute, and as many site lookups at no charge, 60 of them in a burst.
let clock: FrozenClock;
let running: SiteGateway;

beforeEach(async () => {
  clock = frozenClock();
  running = await forThisTest(
    startSiteGateway,
    { 'https://shop.example/': { body: '<title>Shop</title>' } },
    { clock, env: { RATE_LIMIT: '600', AUTH: 'open' } },
  );
});

let pages = 0;

/** Selects 40 pages that do not exist, and a field that costs a credit. */
function readMissingPages(caller: Caller): Promise<Response> {
  const fields = Array.from(
    { length: 40 },
    (_, index) => `p${index}: page(url: "https://shop.example/gone${++pages}") { fetchState }`,
  );
  return caller.graphql(`{ site(host: "shop.example") { dns { a } } ${fields.join(' ')} }`);
}

const codeOf = async (response: Response) => (await response.json()).errors?.[0].extensions.code;

it('limits site lookups that fail, although the operation costs credits', async () => {
  const { customer, sites } = running;
  expect(await codeOf(await readMissingPages(customer))).toBeUndefined();
  expect(await codeOf(await readMissingPages(customer))).toBeUndefined();
  const sent = sites.requests.length;
  const rejected = await readMissingPages(customer);
  expect(rejected.headers.get('retry-after')).toBe('3');
  expect(await codeOf(rejected)).toBe('rate_limited');
  expect(sites.requests.length).toBe(sent);
  expect((await customer.balance()).used).toBe(2);
  clock.advance(3000);
  expect(await codeOf(await readMissingPages(customer))).toBeUndefined();
});

it('limits neither other callers nor requests without site lookups', async () => {
  const { customer, metered } = running;
  await readMissingPages(customer);
  await readMissingPages(customer);
  expect(await codeOf(await readMissingPages(await metered.newCustomer()))).toBeUndefined();
  expect((await customer.fetch('/v1/status?domain=free.example')).status).toBe(200);
});

it('limits neither lookups that cost credits nor those from the cache', async () => {
  const { customer } = running;
  for (let count = 0; count < 70; count += 1) {
    const robots = await customer.fetch('/v1/robots?domain=shop.example&max_age=0');
    expect(robots.status).toBe(200);
    const cached = await customer.fetch('/v1/tech?url=https://shop.example/gone');
    expect(cached.status).toBe(502);
  }
});

it.each<[string, string, () => Caller['fetch']]>([
  ['of the sandbox', 'taken.test', () => running.customer.fetch],
  ['without a key', 'shop.example', () => running.metered.gateway.fetch],
])('limits site lookups %s, although they succeed', async (_what, domain, callerOf) => {
  const send = callerOf();
  const statuses = [];
  for (let count = 0; count < 61; count += 1)
    statuses.push((await send(`/v1/robots?domain=${domain}&max_age=0`)).status);
  expect(statuses).toEqual([...Array(60).fill(200), 429]);
});
