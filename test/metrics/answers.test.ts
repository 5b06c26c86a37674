import { beforeEach, describe, expect, it } from 'vitest';
import { metricsTable } from '../../src/metrics/table.ts';
import { forThisTest } from '../support/for-this-test.ts';
import { startFakeRegistry, type FakeRegistry } from '../support/servers/fake-registry.ts';
import { startGateway, type Gateway } from '../support/gateways/gateway.ts';
import { manualClock, type ManualClock } from '../support/time/manual-clock.ts';
import { html, notFound, registered, status } from '../support/bodies/replies.ts';
import { scrape, since, type Scrape } from '../support/checks/scrape.ts';
import { scratch } from '../support/stores/scratch.ts';
import { paused } from '../support/bodies/scripts.ts';

const second = 1000;
const hour = 60 * 60 * second;
const day = 24 * hour;
const bucketSeconds = metricsTable.rdap_gateway_cache_age_seconds.buckets;

let clock: ManualClock;
let registry: FakeRegistry;
let gateway: Gateway;
let before: Scrape;
beforeEach(async () => {
  clock = manualClock();
  registry = await forThisTest(startFakeRegistry);
  registry.on(/^(?:nic|taken)/, ({ name }) => registered(name));
  gateway = await forThisTest(startGateway, {
    registries: { example: registry.baseUrl },
    env: { RDAP_RATE: '0' },
    clock,
  });
  before = await scrape(gateway);
});

/** Returns the number of names counted since the start, by verdict, reason and source. */
const counted = async (verdict: string, reason: string, source: string) =>
  since(before, await scrape(gateway))('rdap_gateway_verdicts_total', { verdict, reason, source });

describe('rdap_gateway_verdicts_total', () => {
  it.each([
    ['free.example', ['AVAILABLE', 'none', 'registry']],
    ['taken.example', ['REGISTERED', 'none', 'registry']],
    ['taken.test', ['REGISTERED', 'none', 'registry']],
    ['lies.example', ['UNKNOWN', 'untrusted_answer', 'registry']],
    ['down.example', ['UNKNOWN', 'registry_error', 'registry']],
    ['a.no-such-tld', ['UNSUPPORTED_TLD', 'unsupported_tld', 'none']],
    ['-.example', ['INVALID', 'invalid_name', 'none']],
  ] as const)(
    'counts %s by verdict, reason and source: %j',
    async (name, [verdict, reason, source]) => {
      registry.on('lies.example', html(404));
      registry.on('down.example', status(500));
      await gateway.get(`/v1/status?domain=${name}`);
      expect(await counted(verdict, reason, source)).toBe(1);
      expect(since(before, await scrape(gateway))('rdap_gateway_verdicts_total')).toBe(1);
    },
  );

  it('counts a name once per operation in both APIs', async () => {
    await gateway.graphql(
      '{ a: domain(name: "free.example") { id status } b: domain(name: "free.example") { available rdap { handle } } }',
    );
    await gateway.post('/v1/status/bulk', { domains: ['free.example', 'FREE.example'] });
    expect(await counted('AVAILABLE', 'none', 'registry')).toBe(1);
    expect(await counted('AVAILABLE', 'none', 'cache')).toBe(1);
  });

  it('counts a stale answer if the registry fails', async () => {
    await gateway.get('/v1/status?domain=taken.example');
    registry.fallback(status(500));
    registry.on(/./, status(500));
    clock.advance(2 * day);
    await gateway.get('/v1/status?domain=taken.example');
    expect(await counted('REGISTERED', 'none', 'stale')).toBe(1);
  });
});

it.each([
  [60, 60 * second],
  [300, 61 * second],
  [3600, hour],
  [86_400, day],
  [604_800, day + second],
  [2_592_000, 8 * day],
])(
  'observes the age of a cached answer in the bucket up to %d s if it is %d ms',
  async (le, ms) => {
    await gateway.get('/v1/status?domain=taken.example');
    clock.advance(ms);
    await gateway.get('/v1/status?domain=taken.example&max_age=2592000');
    const metric = 'rdap_gateway_cache_age_seconds';
    const increase = since(before, await scrape(gateway));
    const cumulative = bucketSeconds.map((bound) =>
      increase(`${metric}_bucket`, { le: `${bound}` }),
    );
    expect(cumulative).toEqual(bucketSeconds.map((bound) => (bound < le ? 0 : 1)));
    expect([increase(`${metric}_count`), increase(`${metric}_sum`)]).toEqual([1, ms / second]);
  },
);

const lookUpTwo = (at: Gateway) => at.get('/v1/status?domain=taken.example,free.example');

async function hitsOf(at: Gateway): Promise<readonly number[]> {
  const { sum } = await scrape(at);
  return ['memory', 'store'].map((tier) => sum('rdap_gateway_cache_hits_total', { tier }));
}

it('counts cache hits by tier', async () => {
  await using folder = await scratch();
  const env = { STORE_URL: folder.storeUrl };
  const open = () => startGateway({ registries: { example: registry.baseUrl }, env, clock });
  {
    await using first = await open();
    // The 404 triggers the canary check now, so that none runs while the answers are written.
    await first.get('/v1/status?domain=another.example');
    await lookUpTwo(first);
    expect(await hitsOf(first)).toEqual([0, 0]);
  }
  await using restarted = await open();
  await lookUpTwo(restarted);
  expect(await hitsOf(restarted)).toEqual([0, 2]);
  await lookUpTwo(restarted);
  expect(await hitsOf(restarted)).toEqual([2, 2]);
  await lookUpTwo(gateway);
  await lookUpTwo(gateway);
  expect(await hitsOf(gateway)).toEqual([2, 0]);
});

it('counts lookups in flight, each name once', async () => {
  const slow = paused(notFound());
  registry.on(/^slow/, slow);
  const answers = ['slow1.example', 'slow2.example', 'slow1.example'].map((name) =>
    gateway.get(`/v1/status?domain=${name}`),
  );
  await Promise.all(['slow1.example', 'slow2.example'].map((name) => registry.whenRequested(name)));
  expect((await scrape(gateway)).sum('rdap_gateway_lookups_in_flight')).toBe(2);
  slow.release();
  await Promise.all(answers);
  expect((await scrape(gateway)).sum('rdap_gateway_lookups_in_flight')).toBe(0);
});
