import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readBootstrap } from '../../../src/registries/directory/bootstrap-parser.ts';
import table from '../../../src/registries/directory/bootstrap-table.json' with { type: 'json' };
import { startFakeRegistry, type FakeRegistry } from '../../support/servers/fake-registry.ts';
import { startGateway, type Gateway, type Json } from '../../support/gateways/gateway.ts';
import { manualClock, type ManualClock } from '../../support/time/manual-clock.ts';
import { notFound, registered } from '../../support/bodies/replies.ts';
import { scrapeUntil } from '../../support/checks/scrape.ts';
import { subscribe } from '../../support/requests/subscription.ts';

// Every fourth TLD of the bootstrap document, which preserves the proportions between hosts.
const everyFourth = Array.from(readBootstrap(table)).filter((_, index) => index % 4 === 0);
const tldsByHost = Map.groupBy(everyFourth, ([, { baseUrls }]) => new URL(baseUrls[0]).host);
const tlds = everyFourth.map(([tld]) => tld);

// RDAP_RATE, and a burst of five seconds' worth.
const rate = 10;
const burst = 50;

let clock: ManualClock;
let registries: ReadonlyMap<string, FakeRegistry>;
let largest: FakeRegistry;
let gateway: Gateway;
beforeEach(async () => {
  clock = manualClock();
  registries = new Map(
    await Promise.all(
      Array.from(tldsByHost.keys(), async (host) => [host, await startHost()] as const),
    ),
  );
  const served = everyFourth.map(
    ([tld, { baseUrls }]) =>
      [tld, registries.get(new URL(baseUrls[0]).host)?.baseUrl ?? ''] as const,
  );
  const [[host = ''] = []] = Array.from(tldsByHost).toSorted(([, a], [, b]) => b.length - a.length);
  largest = registries.get(host) ?? (await startHost());
  const env = { RDAP_RATE: String(rate) };
  gateway = await startGateway({ clock, env, registries: Object.fromEntries(served) });
});
afterEach(async () => {
  await gateway[Symbol.asyncDispose]();
  await Promise.all(Array.from(registries.values(), (registry) => registry.close()));
});

/** Starts a registry in which half of the names are registered. */
async function startHost(): Promise<FakeRegistry> {
  const registry = await startFakeRegistry();
  registry.fallback(({ name }) =>
    name.startsWith('nic.') || name.length % 2 === 0 ? registered(name) : notFound(),
  );
  return registry;
}

const searchFor = (label: string) =>
  subscribe(gateway, `name: "${label}", tlds: ${JSON.stringify(tlds)}`);
/** Counts distinct names: a name that was found may be looked up again as a canary. */
const lookupsOf = ({ requests }: FakeRegistry, label: string) =>
  new Set(requests.map(({ name }) => name).filter((name) => name.startsWith(`${label}.`))).size;

/** Advances the clock until all rows have arrived, by 100 ms whenever the largest host is idle. */
async function finish(rows: Promise<readonly Json[]>): Promise<readonly Json[]> {
  const search = { isRunning: true };
  void rows.finally(() => (search.isRunning = false));
  while (search.isRunning) {
    const sent = largest.requests.length;
    clock.advance(100);
    for (
      let turn = 0;
      turn < 100 && search.isRunning && largest.requests.length === sent;
      turn += 1
    )
      await nextTurn();
  }
  return rows;
}

describe('a search under default settings', () => {
  it('covers 300 TLDs, about 110 of them at one host', () => {
    expect(tlds.length).toBe(300);
    expect(
      Math.max(...Array.from(tldsByHost.values(), ({ length }) => length)),
    ).toBeGreaterThanOrEqual(105);
    expect(tldsByHost.size).toBeGreaterThan(90);
  });

  it('resolves every name within the limits of each host', async () => {
    const startedAt = clock.now();
    await using stream = await searchFor('example');
    const first = await stream.take(1);
    await largest.when(({ requests, inFlight }) => requests.length === burst && inFlight === 0);
    const rows = [...first, ...(await finish(stream.rest()))];
    expect(rows.map(({ domain }) => domain).toSorted()).toEqual(
      tlds.map((tld) => `example.${tld}`).toSorted(),
    );
    expect(rows.filter(({ available }) => available === null)).toEqual([]);
    expect(clock.now() - startedAt).toBeGreaterThanOrEqual(
      ((largest.requests.length - burst) / rate) * 1000,
    );
    expect(largest.peakInFlight).toBeLessThanOrEqual(8);
  });

  it('resolves every name of a second label, and stops the lookups of an abandoned first one', async () => {
    const abandoned = await searchFor('first');
    await largest.when(({ requests, inFlight }) => requests.length === burst && inFlight === 0);
    clock.advance(1000);
    await largest.when(
      ({ requests, inFlight }) => requests.length === burst + rate && inFlight === 0,
    );
    abandoned.close();
    // The canary lookups that its 404s triggered are still sent.
    await scrapeUntil(gateway, ({ sum }) => {
      clock.advance(100);
      return sum('rdap_gateway_registry_requests_queued') === 0;
    });
    const lookups = lookupsOf(largest, 'first');

    await using stream = await searchFor('second');
    const rows = await finish(stream.rest());
    expect(rows.map(({ domain }) => domain).toSorted()).toEqual(
      tlds.map((tld) => `second.${tld}`).toSorted(),
    );
    expect(rows.filter(({ available }) => available === null)).toEqual([]);
    expect(lookupsOf(largest, 'first')).toBe(lookups);
    expect(lookups).toBeLessThanOrEqual(burst + rate);
  });
});
