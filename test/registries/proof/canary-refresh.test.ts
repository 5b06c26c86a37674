import { beforeEach, describe, expect, it } from 'vitest';
import { forThisTest } from '../../support/for-this-test.ts';
import { startFakeRegistry, type FakeRegistry } from '../../support/servers/fake-registry.ts';
import { startGateway, type Gateway } from '../../support/gateways/gateway.ts';
import { manualClock, type ManualClock } from '../../support/time/manual-clock.ts';
import { notFound, registered } from '../../support/bodies/replies.ts';

const second = 1000;
const tlds = ['aa', 'bb', 'cc'];

let registry: FakeRegistry;
let clock: ManualClock;
let gateway: Gateway;
beforeEach(async () => {
  registry = await forThisTest(startFakeRegistry);
  registry.fallback(notFound());
  registry.on(/^nic\./, ({ name }) => registered(name));
  clock = manualClock();
  gateway = await open({});
});

const open = async (env: Readonly<Record<string, string>>) =>
  forThisTest(startGateway, {
    clock,
    registries: Object.fromEntries([...tlds, 'google'].map((tld) => [tld, registry.baseUrl])),
    delegates: ['taken'],
    env,
  });

/** Searches for a label as the search page does. */
async function search(label: string, under: readonly string[] = tlds): Promise<readonly string[]> {
  const { results } = await gateway.get(
    `/v1/status?name=${label}&tlds=${under.join()}&confirm=available`,
  );
  return results.map(({ status }: { status: string }) => status);
}

const requests = () => registry.requests.map(({ name }) => name);

/** Advances the time second by second until the registry has received this many requests. */
const received = (count: number) =>
  expect
    .poll(
      () => {
        clock.advance(second);
        return registry.requests.length;
      },
      { interval: 20, timeout: 10_000 },
    )
    .toBe(count);

describe('after a search that the DNS answered', () => {
  it('canaries are looked up, so that the next search needs none', async () => {
    expect(await search('taken')).toEqual(['registered', 'registered', 'registered']);
    expect(requests()).toEqual([]);
    await received(3);
    expect(requests()).toEqual(['nic.aa', 'nic.bb', 'nic.cc']);
    await registry.when(({ inFlight }) => inFlight === 0);
    expect(await search('free')).toEqual(['available', 'available', 'available']);
    expect(requests().slice(3).toSorted()).toEqual(['free.aa', 'free.bb', 'free.cc']);
  });

  it('canaries are looked up again before they expire, while searches go on', async () => {
    await search('taken', ['aa']);
    await received(1);
    const startedAt = clock.now();
    for (const label of ['taken1', 'taken2', 'taken3', 'taken4']) {
      clock.advance(55 * second);
      await search(label, ['aa']);
    }
    expect(requests()).toEqual(['nic.aa']);
    await received(2);
    expect(requests()).toEqual(['nic.aa', 'nic.aa']);
    expect(clock.now() - startedAt).toBeLessThan(5 * 60 * second);
  });

  it('nothing is sent for TLDs that have not been searched for a minute', async () => {
    await search('taken', ['aa']);
    await received(1);
    clock.advance(30 * 60 * second);
    await search('free', ['bb']);
    expect(registry.requestCount('nic.aa')).toBe(1);
  });

  it('they get a tenth of the rate of their host', async () => {
    gateway = await open({ RDAP_RATE: '2' });
    await search('taken');
    const startedAt = clock.now();
    await received(3);
    expect(clock.now() - startedAt).toBeGreaterThan(10 * second);
  });
});

describe('the canary of a name that the DNS does not have', () => {
  it('is looked up together with the name', async () => {
    expect(await search('free', ['aa'])).toEqual(['available']);
    expect(requests().toSorted()).toEqual(['free.aa', 'nic.aa']);
  });

  it('is not needed under a TLD of a brand, where the name cannot be available', async () => {
    expect(await search('free', ['google'])).toEqual(['reserved']);
    expect(requests()).toEqual(['free.google']);
  });
});
