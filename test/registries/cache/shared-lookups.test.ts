import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { forThisTest } from '../../support/for-this-test.ts';
import { startFakeRegistry, type FakeRegistry } from '../../support/servers/fake-registry.ts';
import { startGateway, type Gateway } from '../../support/gateways/gateway.ts';
import { manualClock, type ManualClock } from '../../support/time/manual-clock.ts';
import { registered, status } from '../../support/bodies/replies.ts';
import { paused, type PausedReply } from '../../support/bodies/scripts.ts';

let clock: ManualClock;
let registry: FakeRegistry;
let gateway: Gateway;
let answer: PausedReply;
/** The number of timers of an idle gateway. */
let idle: number;
beforeEach(async () => {
  clock = manualClock();
  registry = await forThisTest(startFakeRegistry);
  answer = paused(({ name }) => registered(name));
  registry.fallback(answer);
  gateway = await forThisTest(startGateway, {
    clock,
    registries: { registry: registry.baseUrl },
    env: { RDAP_CONCURRENCY: '1', RDAP_RATE: '0', RATE_LIMIT: '0' },
  });
  idle = clock.pending;
});
afterEach(() => answer.release());

/**
 * Waits until `count` requests have arrived: each waiting caller has a timer for its queue
 * deadline.
 */
const arrived = (count: number) => clock.whenPending(idle + count);

/** Waits until only `count` timers remain: a caller that disconnects removes its timer. */
async function remaining(count: number): Promise<void> {
  while (clock.pending > idle + count) await nextTurn();
}

const viaRest = async (name: string, query = '') =>
  (await gateway.get(`/v1/status?domain=${name}${query}`)).results[0];
const viaGraphql = async (name: string, maxAge = 'null') =>
  (await gateway.graphql(`{ domain(name: "${name}", maxAge: ${maxAge}) { available cached } }`))
    .data.domain;

describe('a name without a cached answer', () => {
  it('is one request to the registry for 400 concurrent lookups through both APIs', async () => {
    const lookups = Array.from({ length: 100 }, () => [
      viaRest('cold.registry'),
      viaGraphql('cold.registry'),
      viaRest('cold.registry', '&max_age=0'),
      viaGraphql('COLD.registry.', '2592000'),
    ]).flat();
    await arrived(400);
    expect(registry.requestCount('cold.registry')).toBe(1);
    answer.release();
    const rows = await Promise.all(lookups);
    expect(
      rows.filter(({ available, cached }) => available === false && cached === false).length,
    ).toBe(400);
    expect(registry.requests.length).toBe(1);
  });

  it('fails for all waiting callers, with one request', async () => {
    const forbidden = paused(status(403));
    registry.on('cold.registry', forbidden);
    const lookups = Array.from({ length: 10 }, () => viaRest('cold.registry'));
    await arrived(10);
    forbidden.release();
    for (const row of await Promise.all(lookups))
      expect(row).toMatchObject({ status: 'unknown', reason: 'registry_error' });
    expect(registry.requestCount('cold.registry')).toBe(1);
  });
});

it('makes a queued lookup as urgent and as patient as the callers that join it', async () => {
  const first = viaRest('a.registry');
  await registry.whenRequested('a.registry');
  const domains = ['b.registry', 'c.registry', 'd.registry'];
  const bulk = gateway.post('/v1/status/bulk', { domains, timeout: 2 });
  // The timers of the lookup in flight, of the list, and of the host queue.
  await arrived(3);
  const joined = viaRest('d.registry');
  await arrived(4);
  answer.release();
  await Promise.all([first, bulk, joined]);
  const names = registry.requests.map(({ name }) => name);
  expect(names).toEqual(['a.registry', 'd.registry', 'b.registry', 'c.registry']);
});

/** Sends a request that can be aborted. */
function abortableRequest(name: string) {
  const controller = new AbortController();
  const outcome = gateway.fetch(`/v1/status?domain=${name}`, { signal: controller.signal }).then(
    () => 'answered',
    () => 'aborted',
  );
  return { outcome, abort: () => controller.abort() };
}

describe('a caller that disconnects', () => {
  it('does not affect other callers of the same name', async () => {
    const aborted = abortableRequest('a.registry');
    const other = viaRest('a.registry');
    await arrived(2);
    aborted.abort();
    expect(await aborted.outcome).toBe('aborted');
    answer.release();
    expect(await other).toMatchObject({ status: 'registered', cached: false });
    expect(registry.requestCount('a.registry')).toBe(1);
  });

  it('removes its queued lookup if no other caller waits for it', async () => {
    const first = viaRest('a.registry');
    await registry.whenRequested('a.registry');
    const aborted = abortableRequest('b.registry');
    // The timers of the lookup in flight, of the queued one, and of the host queue.
    await arrived(3);
    aborted.abort();
    expect(await aborted.outcome).toBe('aborted');
    await remaining(2);
    const last = viaRest('c.registry');
    answer.release();
    expect([(await first).status, (await last).status]).toEqual(['registered', 'registered']);
    expect(registry.requests.map(({ name }) => name)).toEqual(['a.registry', 'c.registry']);
  });

  it('does not prevent the answer from being cached if its lookup has been sent', async () => {
    const aborted = abortableRequest('a.registry');
    await registry.whenRequested('a.registry');
    aborted.abort();
    expect(await aborted.outcome).toBe('aborted');
    await remaining(0);
    answer.release();
    await registry.when(({ inFlight }) => inFlight === 0);
    await expect
      .poll(() => viaRest('a.registry'))
      .toMatchObject({ status: 'registered', cached: true });
    expect(registry.requestCount('a.registry')).toBe(1);
  });
});
