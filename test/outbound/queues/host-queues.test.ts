import { beforeEach, describe, expect, it } from 'vitest';
import { parseDomainName } from '../../../src/domain/names/domain-name.ts';
import type { AttemptRequest } from '../../../src/domain/source.ts';
import { Problem } from '../../../src/domain/problems.ts';
import type { HostLimits } from '../../../src/outbound/queues/host-limits.ts';
import { HostQueues } from '../../../src/outbound/queues/host-queues.ts';
import type { RequestQueue } from '../../../src/outbound/queues/request-queue.ts';
import { createBackoffs } from '../../support/stores/backoffs.ts';
import { createDailyUsage } from '../../support/stores/daily-usage.ts';
import { manualClock, type ManualClock } from '../../support/time/manual-clock.ts';
import { unlimited } from '../../support/stores/open-queue.ts';

const minute = 60_000;
const hour = 60 * minute;
const url = 'https://named.test/rdap/';

let clock: ManualClock;
beforeEach(() => (clock = manualClock()));

/** Opens queues with these limits for the host of `url`, and none for all other hosts. */
function open(limits: Partial<HostLimits> = {}): HostQueues {
  const limitsOf = ({ host }: URL) =>
    host === new URL(url).host ? { ...unlimited, ...limits } : unlimited;
  return new HostQueues({
    limitsOf,
    clock,
    backoffs: createBackoffs(clock),
    dailyUsage: createDailyUsage(clock),
  });
}

/** Acquires a permit for a request that cannot be queued. */
function acquire(queue: RequestQueue): ReturnType<RequestQueue['acquire']> {
  const attempt: AttemptRequest = {
    signal: new AbortController().signal,
    queueDeadline: clock.now(),
    account: 'alice',
    priority: 'single',
  };
  const permit = queue.acquire(parseDomainName('name.test'), attempt);
  clock.advance(1);
  return permit;
}

async function request(queue: RequestQueue): Promise<void> {
  const permit = await acquire(queue);
  if (permit instanceof Problem) throw permit;
  permit.end({});
}

/** Advances the clock, and then sends a request to a new host, which disposes of idle queues. */
async function later(queues: HostQueues, ms: number): Promise<void> {
  clock.advance(ms);
  await request(queues.ephemeralQueue(`https://${clock.now()}.test/`));
}

it('a host has one queue for all TLDs that it serves, separate from those of other hosts', () => {
  const queues = open();
  const queue = queues.registryQueue('https://rdap.test/com/');
  expect(queues.registryQueue('https://rdap.test/net/v1/')).toBe(queue);
  for (const other of ['http://rdap.test/', 'https://rdap.test:8443/', 'https://other.test/']) {
    expect(queues.registryQueue(other)).not.toBe(queue);
  }
});

describe('an ephemeral queue', () => {
  it('is retained while it is used, and disposed of ten minutes after its last use', async () => {
    const queues = open();
    for (let times = 0; times < 5; times += 1) {
      await request(queues.ephemeralQueue(url));
      await later(queues, 9 * minute);
      expect(queues.ephemeralQueue(url).status().p50Ms).toBe(1);
    }
    await later(queues, minute);
    expect(queues.ephemeralQueue(url).status().p50Ms).toBeNull();
  });

  it('is retained if it is also the queue of a registry, in either order of creation', async () => {
    const queues = open();
    await request(queues.ephemeralQueue(url));
    const registry = queues.registryQueue(url);
    await later(queues, hour);
    expect([queues.ephemeralQueue(url), registry].map((queue) => queue.status().p50Ms)).toEqual([
      1, 1,
    ]);
  });

  it.each([
    ['while its burst takes longer to refill', { rate: 1 / 3600, burst: 1 }, hour],
    ['while its daily quota is exhausted', { perDay: 1 }, 24 * hour],
  ])('is retained %s', async (_case, limits, ms) => {
    const queues = open(limits);
    await request(queues.ephemeralQueue(url));
    await later(queues, ms - minute);
    expect(await acquire(queues.ephemeralQueue(url))).toBeInstanceOf(Problem);
    await later(queues, minute);
    await request(queues.ephemeralQueue(url));
  });

  it('is retained while it has a request in flight', async () => {
    const queues = open({ concurrency: 1 });
    const permit = await acquire(queues.ephemeralQueue(url));
    await later(queues, hour);
    expect(await acquire(queues.ephemeralQueue(url))).toBeInstanceOf(Problem);
    if (!(permit instanceof Problem)) permit.end({});
    await request(queues.ephemeralQueue(url));
  });
});
