import { beforeEach, describe, expect, it } from 'vitest';
import { forThisTest } from '../../support/for-this-test.ts';
import { startFakeRegistry, type FakeRegistry } from '../../support/servers/fake-registry.ts';
import { startGateway, type Gateway } from '../../support/gateways/gateway.ts';
import { manualClock, type ManualClock } from '../../support/time/manual-clock.ts';
import { registered, status } from '../../support/bodies/replies.ts';

const hour = 3600;
const day = 24 * hour;

let clock: ManualClock;
let registry: FakeRegistry;
let gateway: Gateway;

beforeEach(async () => {
  clock = manualClock();
  registry = await forThisTest(startFakeRegistry);
  registry.on(/^(?:nic|taken)/, ({ name }) => registered(name));
  const expiring = (days: number) => new Date(clock.now() + days * day * 1000).toISOString();
  registry.on(/^soon/, ({ name }) => registered(name, { expiresAt: expiring(7 + 2 / 24) }));
  registry.on(/^expired/, ({ name }) => registered(name, { expiresAt: expiring(-1) }));
  registry.on(/^pending/, ({ name }) => registered(name, { statuses: ['pending delete'] }));
  registry.on(/^broken/, status(500));
  gateway = await forThisTest(startGateway, { clock, registries: { registry: registry.baseUrl } });
});

/** Returns `freshUntil` of a name, in seconds from now. */
async function freshFor(name: string, maxAge?: number): Promise<number | null> {
  const age = maxAge === undefined ? '' : `, maxAge: ${maxAge}`;
  const answer = await gateway.graphql(`{ domain(name: "${name}"${age}) { freshUntil } }`);
  const { freshUntil } = answer.data.domain;
  return freshUntil && (Date.parse(freshUntil) - clock.now()) / 1000;
}

describe('freshUntil', () => {
  it.each([
    ['free.registry', 300],
    ['taken.registry', day],
    ['soon.registry', 2 * hour], // when the week before its expiry begins
    ['expired.registry', hour],
    ['pending.registry', 300],
  ])('of %s is the time until which the registry is not queried again', async (name, seconds) => {
    expect(await freshFor(name)).toBe(seconds);
    clock.advance(60_000);
    expect(await freshFor(name)).toBe(seconds - 60);
    clock.advance((seconds - 60) * 1000 - 1);
    await freshFor(name);
    expect(registry.requestCount(name)).toBe(1);
    clock.advance(2);
    await freshFor(name);
    expect(registry.requestCount(name)).toBe(2);
  });

  it('is in the past for an answer that is returned only because of maxAge', async () => {
    await freshFor('taken.registry');
    clock.advance(2 * day * 1000);
    expect(await freshFor('taken.registry', 3 * day)).toBe(-day);
  });

  it('is ten seconds ahead for sandbox names', async () => {
    expect(await freshFor('taken.test')).toBe(10);
  });

  it.each(['broken.registry', 'free.no-such-tld'])(
    'is null without a trustworthy answer: %s',
    async (name) => {
      expect(await freshFor(name)).toBeNull();
    },
  );
});
