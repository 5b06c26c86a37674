import { describe, expect, it } from 'vitest';
import type { DomainName } from '../../src/domain/domain-name.ts';
import { unanswered, type Answer, type Asker } from '../../src/domain/registry.ts';
import { Problem } from '../../src/problems.ts';
import { createLane, type Turn } from '../../src/registries/lane.ts';
import { manualClock } from '../support/manual-clock.ts';

const found: Answer = { verdict: 'REGISTERED', cached: false, stale: false };
const failed = (failure: NonNullable<Answer['failure']>): Answer => ({ ...unanswered(new Problem('registry_error', '')), failure });

/** Lets promises that are settled be heard. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A lane without limits but for its concurrency; `sent` are those in flight. */
function openLane(concurrency: number) {
  const clock = manualClock();
  const lane = createLane({ host: 'rdap.test', limits: { rate: 0, burst: 0, concurrency }, clock });
  let serial = 0;
  const sent: Turn[] = [];
  const refused: Problem[] = [];
  async function enter(asker: Partial<Asker>): Promise<void> {
    const whole = { signal: new AbortController().signal, sendBy: clock.now(), account: 'alice', kind: 'single', ...asker } as const;
    const turn = await lane.enter(`n${(serial += 1)}.test` as DomainName, whole);
    if (turn instanceof Problem) refused.push(turn);
    else sent.push(turn);
  }
  return {
    clock,
    refused,
    get inFlight() {
      return sent.length;
    },
    /** So many come who do not wait; resolves to how many of them were sent. */
    async come(count: number, asker: Partial<Asker> = {}): Promise<number> {
      const before = sent.length;
      for (let index = 0; index < count; index += 1) void enter(asker);
      await settled();
      clock.advance(1); // who was not sent in this millisecond is too late
      await settled();
      return sent.length - before;
    },
    /** Ends all that are in flight. */
    async end(answer: Answer): Promise<void> {
      for (const turn of sent.splice(0)) turn.end(answer);
      await settled();
    },
  };
}

const second = 1000;

describe('the number of requests in flight', () => {
  it.each(['busy', 'timeout'] as const)('is halved, once, by a moment in which a host says %s to all of them', async (failure) => {
    const lane = openLane(4);
    for (const allowed of [4, 2, 1, 1]) {
      expect(await lane.come(20)).toBe(allowed);
      await lane.end(failed(failure));
      lane.clock.advance(second);
    }
  });

  it('is not changed by a connection that breaks', async () => {
    const lane = openLane(8);
    expect(await lane.come(20)).toBe(8);
    await lane.end(failed('down'));
    expect(await lane.come(20)).toBe(8);
  });

  it('grows by one with each round of good answers, to what the operator allows and no further', async () => {
    const lane = openLane(4);
    for (const failure of [failed('timeout'), failed('timeout')]) {
      await lane.come(4);
      await lane.end(failure);
      lane.clock.advance(1);
    }
    const allowed = [];
    for (let round = 0; round < 9; round += 1) {
      allowed.push(await lane.come(20));
      await lane.end(found);
    }
    expect(allowed[0]).toBe(1);
    expect(allowed.at(-1)).toBe(4);
    for (const [round, next] of allowed.slice(1).entries()) expect([0, 1]).toContain(next - (allowed[round] ?? 0));
  });
});

describe('the number of requests in flight of an account', () => {
  const bob = { account: 'bob' };

  it('is halved by its own timeouts only', async () => {
    const lane = openLane(8);
    expect(await lane.come(20)).toBe(8);
    await lane.end(failed('timeout'));
    lane.clock.advance(2 * 60 * second);
    expect(await lane.come(20)).toBe(4);
    expect(await lane.come(20, bob)).toBe(4);
    await lane.end(found);
    lane.clock.advance(2 * 60 * second);
    expect(await lane.come(20, bob)).toBe(8);
  });

  it('is three quarters of the slots within a minute of another account, and all of them otherwise', async () => {
    const lane = openLane(8);
    await lane.come(1, bob);
    await lane.end(found);
    expect(await lane.come(20)).toBe(6);
    expect(await lane.come(20, bob)).toBe(2);
    await lane.end(found);
    lane.clock.advance(60 * second);
    expect(await lane.come(20)).toBe(8);
  });

  it('leaves no slot empty that another account waits for', async () => {
    const lane = openLane(4);
    const patient = { sendBy: lane.clock.now() + 60 * second };
    await lane.come(1, bob);
    await lane.end(found);
    expect(await lane.come(9, patient)).toBe(3);
    expect(await lane.come(9, { ...bob, ...patient })).toBe(1);
    await lane.end(found);
    expect(lane.inFlight).toBe(4);
  });
});

describe('a host from which one account gets responses', () => {
  const bob = { account: 'bob' };

  it('is not given up because of the names of another account', async () => {
    const lane = openLane(100);
    await lane.come(1, bob);
    await lane.end(found);
    await lane.come(20);
    await lane.end(failed('down'));
    for (const account of ['alice', 'bob', 'carol']) expect(await lane.come(1, { account })).toBe(1);
  });

  it('is not given up when two accounts fail and these are less than eight in ten of the names', async () => {
    const lane = openLane(100);
    for (const answer of [found, failed('down'), found, found]) {
      await lane.come(1, bob);
      await lane.end(answer);
    }
    await lane.come(10);
    await lane.end(failed('down'));
    expect(await lane.come(1, { account: 'carol' })).toBe(1);
  });

  it('is blocked for all when ten names of two accounts failed, until a response closes the breaker', async () => {
    const lane = openLane(100);
    await lane.come(1, { account: 'carol' });
    await lane.end(found);
    for (const account of ['alice', 'bob']) {
      await lane.come(6, { account });
      await lane.end(failed('down'));
    }
    expect([await lane.come(1), await lane.come(1, bob), await lane.come(1, { account: 'dave' })]).toEqual([0, 0, 0]);
    expect(await lane.come(1, { account: 'carol' })).toBe(1);
    await lane.end(found);
    expect(await lane.come(1, { account: 'dave' })).toBe(1);
  });
});

/** A lane whose host has failed so many times in a row. */
async function openBroken(failure: NonNullable<Answer['failure']>, times = 10) {
  const lane = openLane(100);
  await lane.come(times);
  await lane.end(failed(failure));
  return lane;
}

describe('a host that does nothing but fail', () => {
  it.each(['down', 'timeout'] as const)('(%s) is left alone for five seconds after ten failures in a row', async (failure) => {
    const lane = await openBroken(failure);
    expect(await lane.come(1)).toBe(0);
    expect(lane.refused.at(-1)).toMatchObject({ code: 'registry_error', retryAfter: 5 });
    lane.clock.advance(5 * second - 2);
    expect(await lane.come(1)).toBe(0);
    expect(await lane.come(1)).toBe(1);
  });

  it('is not given up after nine failures, nor where an answer came between', async () => {
    expect(await (await openBroken('down', 9)).come(1)).toBe(1);
    const lane = await openBroken('down', 9);
    await lane.come(1);
    await lane.end(found);
    await lane.come(9);
    await lane.end(failed('down'));
    expect(await lane.come(1)).toBe(1);
  });

  it('is asked by one probe; when that fails, five seconds go by again', async () => {
    const lane = await openBroken('down');
    for (let probe = 0; probe < 3; probe += 1) {
      lane.clock.advance(5 * second);
      expect(await lane.come(20)).toBe(1);
      expect(lane.refused.at(-1)).toMatchObject({ code: 'registry_error' });
      await lane.end(failed('down'));
      expect(await lane.come(20)).toBe(0);
    }
  });

  it.each([
    ['answers', found],
    ['says "later"', { ...unanswered(new Problem('registry_busy', '', { retryAfter: 0 })), failure: 'busy' as const }],
  ])('is open to all when its probe %s', async (_what, answer) => {
    const lane = await openBroken('down');
    lane.clock.advance(5 * second);
    await lane.come(1);
    await lane.end(answer);
    expect(await lane.come(20)).toBeGreaterThan(1);
  });

  it('refuses those who wait in the moment in which it is given up', async () => {
    const lane = openLane(10);
    await lane.come(10);
    await lane.come(20, { sendBy: lane.clock.now() + 60 * second });
    expect(lane.refused).toEqual([]);
    await lane.end(failed('down'));
    // Nine went while the first nine failed.
    expect(lane.refused.map(({ code }) => code)).toEqual(Array.from({ length: 11 }, () => 'registry_error'));
  });

  it('is none that only says 429', async () => {
    const lane = openLane(1);
    for (let times = 0; times < 50; times += 1) {
      expect(await lane.come(1)).toBe(1);
      await lane.end(failed('busy'));
      lane.clock.advance(second);
    }
  });
});

describe('the allowance for failed lookups', () => {
  it('is 120 a minute, and every response gives one back', async () => {
    const lane = openLane(1000);
    for (const account of ['alice', 'bob']) {
      await lane.come(120, { account });
      await lane.end(failed('server_error'));
    }
    expect([await lane.come(1), await lane.come(1, { account: 'bob' })]).toEqual([0, 0]);
    expect(lane.refused.at(-1)).toMatchObject({ code: 'registry_busy', retryAfter: 1 });
    lane.clock.advance(10 * second);
    expect(await lane.come(10)).toBe(10);
    await lane.end(found);
    await lane.come(30);
    await lane.end(failed('server_error'));
    expect(await lane.come(1)).toBe(0);
  });

  it('is not used up for longer when the clock is set back', async () => {
    const lane = openLane(1000);
    await lane.come(120);
    await lane.end(failed('server_error'));
    lane.clock.advance(-3600 * second);
    expect(await lane.come(1)).toBe(1);
  });
});

describe('second tries', () => {
  const retry = { retry: true };

  it('are three a minute, however little is asked', async () => {
    const lane = openLane(1000);
    expect(await lane.come(10, retry)).toBe(3);
    expect(lane.refused.at(-1)).toMatchObject({ code: 'registry_busy' });
    lane.clock.advance(58 * second);
    expect(await lane.come(1, retry)).toBe(0);
    lane.clock.advance(2 * second);
    expect(await lane.come(10, retry)).toBe(3);
  });

  it('are a tenth of what was asked in the last minute', async () => {
    const lane = openLane(1000);
    await lane.come(100);
    const first = await lane.come(50, retry);
    expect([10, 11, 12]).toContain(first); // tries are traffic, too
    lane.clock.advance(61 * second);
    expect(await lane.come(50, retry)).toBe(3);
  });
});
