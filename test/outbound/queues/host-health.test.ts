import { describe, expect, it } from 'vitest';
import type { DomainName } from '../../../src/domain/names/domain-name.ts';
import type { FailureKind } from '../../../src/domain/answer.ts';
import type { AttemptRequest, RequestOutcome } from '../../../src/domain/source.ts';
import { Problem } from '../../../src/domain/problems.ts';
import { HostQueue } from '../../../src/outbound/queues/host-queue.ts';
import type { Permit } from '../../../src/outbound/queues/request-queue.ts';
import { manualClock } from '../../support/time/manual-clock.ts';
import { settled } from '../../support/stores/open-queue.ts';

const found: RequestOutcome = {};
const failed = (failure: FailureKind): RequestOutcome => ({
  failure,
  problem: new Problem('registry_error', ''),
});

/** Opens a queue that limits only the concurrency. */
function openQueue(concurrency: number) {
  const clock = manualClock();
  const queue = new HostQueue({
    host: 'rdap.test',
    limits: { rate: 0, burst: 0, concurrency },
    clock,
  });
  let serial = 0;
  /** The permits of the requests in flight. */
  const sent: Permit[] = [];
  const rejected: Problem[] = [];
  async function add(request: Partial<AttemptRequest>): Promise<void> {
    const attempt = {
      signal: new AbortController().signal,
      queueDeadline: clock.now(),
      account: 'alice',
      priority: 'single',
      ...request,
    } as const;
    const permit = await queue.acquire(`n${(serial += 1)}.test` as DomainName, attempt);
    if (permit instanceof Problem) rejected.push(permit);
    else sent.push(permit);
  }
  return {
    clock,
    rejected,
    get inFlight() {
      return sent.length;
    },
    /** Adds `count` requests that cannot be queued. Resolves to how many of them were sent. */
    async send(count: number, request: Partial<AttemptRequest> = {}): Promise<number> {
      const before = sent.length;
      for (let index = 0; index < count; index += 1) void add(request);
      await settled();
      clock.advance(1); // requests not sent in this millisecond miss their deadline
      await settled();
      return sent.length - before;
    },
    /** Ends all requests in flight. */
    async end(outcome: RequestOutcome): Promise<void> {
      for (const permit of sent.splice(0)) permit.end(outcome);
      await settled();
    },
  };
}

const second = 1000;

describe('the concurrency limit of a host', () => {
  it.each(['busy', 'timeout'] as const)(
    'is halved once if all requests in flight fail with %s at the same time',
    async (failure) => {
      const queue = openQueue(4);
      for (const allowed of [4, 2, 1, 1]) {
        expect(await queue.send(20)).toBe(allowed);
        await queue.end(failed(failure));
        queue.clock.advance(second);
      }
    },
  );

  it('is not changed by a connection failure', async () => {
    const queue = openQueue(8);
    expect(await queue.send(20)).toBe(8);
    await queue.end(failed('down'));
    expect(await queue.send(20)).toBe(8);
  });

  it('grows by one with each round of successful responses, up to its maximum', async () => {
    const queue = openQueue(4);
    for (const failure of [failed('timeout'), failed('timeout')]) {
      await queue.send(4);
      await queue.end(failure);
      queue.clock.advance(1);
    }
    const allowed = [];
    for (let round = 0; round < 9; round += 1) {
      allowed.push(await queue.send(20));
      await queue.end(found);
    }
    expect(allowed[0]).toBe(1);
    expect(allowed.at(-1)).toBe(4);
    for (const [round, next] of allowed.slice(1).entries())
      expect([0, 1]).toContain(next - (allowed[round] ?? 0));
  });
});

describe('the concurrency limit of an account', () => {
  const bob = { account: 'bob' };

  it('is halved only by timeouts of that account', async () => {
    const queue = openQueue(8);
    expect(await queue.send(20)).toBe(8);
    await queue.end(failed('timeout'));
    queue.clock.advance(2 * 60 * second);
    expect(await queue.send(20)).toBe(4);
    expect(await queue.send(20, bob)).toBe(3);
    await queue.end(found);
    queue.clock.advance(2 * 60 * second);
    expect(await queue.send(20, bob)).toBe(8);
  });

  it('is three quarters of the slots for a minute after another account’s request, and all of them otherwise', async () => {
    const queue = openQueue(8);
    await queue.send(1, bob);
    await queue.end(found);
    expect(await queue.send(20)).toBe(6);
    expect(await queue.send(20, bob)).toBe(1);
    await queue.end(found);
    queue.clock.advance(60 * second);
    expect(await queue.send(20)).toBe(8);
  });

  it('leaves one slot in eight to accounts without a request in flight', async () => {
    const queue = openQueue(8);
    await queue.send(1, bob);
    await queue.end(found);
    expect(await queue.send(20)).toBe(6);
    expect(await queue.send(20, bob)).toBe(1);
    expect(await queue.send(2, { account: 'carol' })).toBe(1);
  });

  it('leaves no slot unused while another account has queued requests', async () => {
    const queue = openQueue(4);
    const waiting = { queueDeadline: queue.clock.now() + 60 * second };
    await queue.send(1, bob);
    await queue.end(found);
    expect(await queue.send(9, waiting)).toBe(3);
    expect(await queue.send(9, { ...bob, ...waiting })).toBe(1);
    await queue.end(found);
    expect(queue.inFlight).toBe(4);
  });
});

describe('a host that responds to one account', () => {
  const bob = { account: 'bob' };

  it('is not blocked because of failures of another account', async () => {
    const queue = openQueue(100);
    await queue.send(1, bob);
    await queue.end(found);
    await queue.send(20);
    await queue.end(failed('down'));
    for (const account of ['alice', 'bob', 'carol'])
      expect(await queue.send(1, { account })).toBe(1);
  });

  it('is not blocked when less than 80 % of the names of two accounts fail', async () => {
    const queue = openQueue(100);
    for (const answer of [found, failed('down'), found, found]) {
      await queue.send(1, bob);
      await queue.end(answer);
    }
    await queue.send(10);
    await queue.end(failed('down'));
    expect(await queue.send(1, { account: 'carol' })).toBe(1);
  });

  it('is blocked for all accounts when ten names of two accounts failed, until a response closes the breaker', async () => {
    const queue = openQueue(100);
    await queue.send(1, { account: 'carol' });
    await queue.end(found);
    for (const account of ['alice', 'bob']) {
      await queue.send(6, { account });
      await queue.end(failed('down'));
    }
    expect(await queue.send(1)).toBe(0);
    expect(await queue.send(1, bob)).toBe(0);
    expect(await queue.send(1, { account: 'dave' })).toBe(0);
    expect(await queue.send(1, { account: 'carol' })).toBe(1);
    await queue.end(found);
    expect(await queue.send(1, { account: 'dave' })).toBe(1);
  });
});

/** Opens a queue whose host has failed `times` times in a row. */
async function openBroken(failure: FailureKind, times = 10) {
  const queue = openQueue(100);
  await queue.send(times);
  await queue.end(failed(failure));
  return queue;
}

describe('a host that only fails', () => {
  it.each(['down', 'timeout'] as const)(
    '(%s) receives no requests for five seconds after ten failures in a row',
    async (failure) => {
      const queue = await openBroken(failure);
      expect(await queue.send(1)).toBe(0);
      expect(queue.rejected.at(-1)).toMatchObject({ code: 'registry_error', retryAfter: 5 });
      queue.clock.advance(5 * second - 2);
      expect(await queue.send(1)).toBe(0);
      expect(await queue.send(1)).toBe(1);
    },
  );

  it('is not blocked after nine failures, or if there was a response in between', async () => {
    expect(await (await openBroken('down', 9)).send(1)).toBe(1);
    const queue = await openBroken('down', 9);
    await queue.send(1);
    await queue.end(found);
    await queue.send(9);
    await queue.end(failed('down'));
    expect(await queue.send(1)).toBe(1);
  });

  it('receives one probe, and is blocked for another five seconds if that fails', async () => {
    const queue = await openBroken('down');
    for (let probe = 0; probe < 3; probe += 1) {
      queue.clock.advance(5 * second);
      expect(await queue.send(20)).toBe(1);
      expect(queue.rejected.at(-1)).toMatchObject({ code: 'registry_error' });
      await queue.end(failed('down'));
      expect(await queue.send(20)).toBe(0);
    }
  });

  it.each([
    ['gets a response', found],
    [
      'gets Retry-After',
      { failure: 'busy' as const, problem: new Problem('registry_busy', '', { retryAfter: 0 }) },
    ],
  ])('receives all requests again when its probe %s', async (_case, answer) => {
    const queue = await openBroken('down');
    queue.clock.advance(5 * second);
    await queue.send(1);
    await queue.end(answer);
    expect(await queue.send(20)).toBeGreaterThan(1);
  });

  it('causes queued requests to be rejected as soon as it is blocked', async () => {
    const queue = openQueue(10);
    await queue.send(10);
    await queue.send(20, { queueDeadline: queue.clock.now() + 60 * second });
    expect(queue.rejected).toEqual([]);
    await queue.end(failed('down'));
    // Nine were sent while the first nine failed.
    expect(queue.rejected.map(({ code }) => code)).toEqual(
      Array.from({ length: 11 }, () => 'registry_error'),
    );
  });

  it('is not blocked if its failures are 429s', async () => {
    const queue = openQueue(1);
    for (let times = 0; times < 50; times += 1) {
      expect(await queue.send(1)).toBe(1);
      await queue.end(failed('busy'));
      queue.clock.advance(second);
    }
  });
});

describe('the limit on failed lookups', () => {
  it('is 120 per minute, and every successful response cancels one failure', async () => {
    const queue = openQueue(1000);
    for (const account of ['alice', 'bob']) {
      await queue.send(120, { account });
      await queue.end(failed('server_error'));
    }
    expect([await queue.send(1), await queue.send(1, { account: 'bob' })]).toEqual([0, 0]);
    expect(queue.rejected.at(-1)).toMatchObject({ code: 'registry_busy', retryAfter: 1 });
    queue.clock.advance(10 * second);
    expect(await queue.send(10)).toBe(10);
    await queue.end(found);
    await queue.send(30);
    await queue.end(failed('server_error'));
    expect(await queue.send(1)).toBe(0);
  });

  it('is not exhausted for longer when the clock is set back', async () => {
    const queue = openQueue(1000);
    await queue.send(120);
    await queue.end(failed('server_error'));
    queue.clock.advance(-3600 * second);
    expect(await queue.send(1)).toBe(1);
  });
});

describe('retries', () => {
  const retry = { retry: true };

  it('are limited to three per minute if there are few requests', async () => {
    const queue = openQueue(1000);
    expect(await queue.send(10, retry)).toBe(3);
    expect(queue.rejected.at(-1)).toMatchObject({ code: 'registry_busy' });
    queue.clock.advance(58 * second);
    expect(await queue.send(1, retry)).toBe(0);
    queue.clock.advance(2 * second);
    expect(await queue.send(10, retry)).toBe(3);
  });

  it('are limited to a tenth of the requests of the last minute', async () => {
    const queue = openQueue(1000);
    await queue.send(100);
    const first = await queue.send(50, retry);
    expect([10, 11, 12]).toContain(first); // retries count as requests, too
    queue.clock.advance(61 * second);
    expect(await queue.send(50, retry)).toBe(3);
  });
});
