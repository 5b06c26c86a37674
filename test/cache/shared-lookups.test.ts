import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startFakeRegistry, type FakeRegistry } from '../support/fake-registry.ts';
import { startGateway, type Gateway } from '../support/gateway.ts';
import { manualClock, type ManualClock } from '../support/manual-clock.ts';
import { registered, status } from '../support/replies.ts';
import { paused, type PausedReply } from '../support/scripts.ts';

let clock: ManualClock;
let registry: FakeRegistry;
let gateway: Gateway;
let answer: PausedReply;
/** Timers of a gateway that nobody asks. */
let idle: number;
beforeEach(async () => {
  clock = manualClock();
  registry = await startFakeRegistry();
  answer = paused(({ name }) => registered(name));
  registry.fallback(answer);
  gateway = await startGateway({
    clock,
    registries: { registry: registry.baseUrl },
    env: { RDAP_CONCURRENCY: '1', RDAP_RATE: '0', RATE_LIMIT: '0' },
  });
  idle = clock.pending;
});
afterEach(async () => {
  answer.release();
  await gateway[Symbol.asyncDispose]();
  await registry.close();
});

/** Everybody who waits for an answer has a timer for when he gives up: so many questions have arrived. */
const arrived = (count: number) => clock.whenPending(idle + count);

/** So many timers are left: the others have gone, each with his own. */
async function remaining(count: number): Promise<void> {
  while (clock.pending > idle + count) await nextTurn();
}

const viaRest = async (name: string, query = '') =>
  (await gateway.get(`/v1/status?domain=${name}${query}`)).results[0];
const viaGraphql = async (name: string, maxAge = 'null') =>
  (await gateway.graphql(`{ domain(name: "${name}", maxAge: ${maxAge}) { available cached } }`))
    .data.domain;

describe('one name that nobody knows yet', () => {
  it('looked up 400 times at once through both APIs, is one request to the registry', async () => {
    const asked = Array.from({ length: 100 }, () => [
      viaRest('cold.registry'),
      viaGraphql('cold.registry'),
      viaRest('cold.registry', '&max_age=0'),
      viaGraphql('COLD.registry.', '2592000'),
    ]).flat();
    await arrived(400);
    expect(registry.asked('cold.registry')).toBe(1);
    answer.release();
    const rows = await Promise.all(asked);
    expect(
      rows.filter(({ available, cached }) => available === false && cached === false).length,
    ).toBe(400);
    expect(registry.requests.length).toBe(1);
  });

  it('fails for all who wait, with one request', async () => {
    const refusal = paused(status(403));
    registry.on('cold.registry', refusal);
    const asked = Array.from({ length: 10 }, () => viaRest('cold.registry'));
    await arrived(10);
    refusal.release();
    for (const row of await Promise.all(asked))
      expect(row).toMatchObject({ status: 'unknown', reason: 'registry_error' });
    expect(registry.asked('cold.registry')).toBe(1);
  });
});

/** Somebody who asks, and may leave before he is answered. */
function leaver() {
  const controller = new AbortController();
  const ask = (name: string) =>
    gateway.fetch(`/v1/status?domain=${name}`, { signal: controller.signal }).then(
      () => 'answered',
      () => 'left',
    );
  return { ask, leave: () => controller.abort() };
}

describe('somebody who leaves', () => {
  it('leaves alone: the others get their answer', async () => {
    const gone = leaver();
    const asked = gone.ask('a.registry');
    const stays = viaRest('a.registry');
    await arrived(2);
    gone.leave();
    expect(await asked).toBe('left');
    answer.release();
    expect(await stays).toMatchObject({ status: 'registered', cached: false });
    expect(registry.asked('a.registry')).toBe(1);
  });

  it('takes what nobody else waits for out of the queue', async () => {
    const first = viaRest('a.registry');
    await registry.whenAsked('a.registry');
    const gone = leaver();
    const asked = gone.ask('b.registry');
    // The one in flight, the one in the queue, and the queue’s own timer.
    await arrived(3);
    gone.leave();
    expect(await asked).toBe('left');
    await remaining(2);
    const last = viaRest('c.registry');
    answer.release();
    expect([(await first).status, (await last).status]).toEqual(['registered', 'registered']);
    expect(registry.requests.map(({ name }) => name)).toEqual(['a.registry', 'c.registry']);
  });

  it('after his question was sent, leaves the answer to whoever asks next', async () => {
    const gone = leaver();
    const asked = gone.ask('a.registry');
    await registry.whenAsked('a.registry');
    gone.leave();
    expect(await asked).toBe('left');
    await remaining(0);
    answer.release();
    await registry.when(({ inFlight }) => inFlight === 0);
    await expect
      .poll(() => viaRest('a.registry'))
      .toMatchObject({ status: 'registered', cached: true });
    expect(registry.asked('a.registry')).toBe(1);
  });
});
