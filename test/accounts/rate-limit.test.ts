import { describe, expect, it } from 'vitest';
import {
  RateLimit,
  rateLimitHeaders,
  type RateLimitOptions,
} from '../../src/accounts/rate-limit.ts';
import { manualClock } from '../support/manual-clock.ts';

const start = Date.UTC(2026, 10, 21);

function setUp(perMinute: number, options: RateLimitOptions = {}) {
  const clock = manualClock(start);
  const limit = new RateLimit(perMinute, clock, options);
  const passed = (count: number, id = 'a') =>
    Array.from({ length: count }, () => limit.take(id)).filter((taken) => taken?.allowed).length;
  return { clock, limit, passed };
}

describe('the rate limit', () => {
  it.each([600, 60, 7, 1])('of %i a minute allows that many at once', (perMinute) => {
    expect(setUp(perMinute).passed(1000)).toBe(perMinute);
  });

  it('may have a smaller bucket', () => {
    expect(setUp(600, { burst: 60 }).passed(1000)).toBe(60);
  });

  it.each([600, 60, 7])(
    'of %i a minute lets that many pass a minute in the long run',
    (perMinute) => {
      const { clock, passed } = setUp(perMinute);
      passed(1000);
      let count = 0;
      for (let second = 0; second < 600; second++) {
        clock.advance(1000);
        count += passed(200);
      }
      expect(count).toBe(perMinute * 10);
    },
  );

  it('tells a refused sender when to come back, and keeps that promise', () => {
    const { clock, limit, passed } = setUp(7);
    passed(7);
    expect(limit.take('a')).toMatchObject({ allowed: false, remaining: 0, retryAfter: 9 });
    clock.advance(8000);
    expect(limit.take('a')).toMatchObject({ allowed: false, retryAfter: 1 });
    clock.advance(1000);
    expect(limit.take('a')).toMatchObject({ allowed: true, remaining: 0, retryAfter: 9 });
  });

  it('says exactly how many requests may be sent at once, at any time', () => {
    const { clock, limit } = setUp(60);
    for (let round = 0; round < 300; round++) {
      const before = limit.peek('a');
      const taken = limit.take('a');
      expect(taken?.allowed).toBe(before?.allowed);
      expect(before?.remaining === 0).toBe(!taken?.allowed);
      if (taken?.allowed) expect(taken.remaining).toBe((before?.remaining ?? 0) - 1);
      clock.advance(350);
    }
    clock.advance(7654);
    const { remaining = 0 } = limit.peek('a') ?? {};
    const taken = Array.from({ length: remaining + 1 }, () => limit.take('a')?.allowed);
    expect(taken).toEqual([...Array(remaining).fill(true), false]);
  });

  it('says when the bucket is full again, and it is', () => {
    const { clock, limit, passed } = setUp(60);
    passed(45);
    const { resetAfter = 0, resetAt } = limit.peek('a') ?? {};
    expect(resetAt).toBe(start / 1000 + 45);
    clock.advance(resetAfter * 1000 - 1000);
    expect(limit.peek('a')?.remaining).toBe(59);
    clock.advance(1000);
    expect(limit.peek('a')).toMatchObject({ remaining: 60, resetAfter: 0 });
  });

  it('counts every sender alone, and whoever cannot be told not at all', () => {
    const { limit, passed } = setUp(600);
    expect([passed(600, 'a'), passed(1, 'a'), passed(600, 'b')]).toEqual([600, 0, 600]);
    expect(limit.take(undefined)).toBeUndefined();
  });

  it('looks without counting', () => {
    const { limit, passed } = setUp(600);
    for (let count = 0; count < 100; count++) limit.peek('a');
    expect(passed(1000)).toBe(600);
  });

  it('waits until what was overdrawn is made up for', () => {
    const { clock, limit, passed } = setUp(600);
    passed(599);
    limit.overdraw('a', 101);
    expect(limit.peek('a')).toMatchObject({ allowed: false, remaining: 0, retryAfter: 11 });
    clock.advance(10_000);
    expect(passed(1)).toBe(0);
    clock.advance(100);
    expect(passed(2)).toBe(1);
  });

  it('of too many senders forgets the one that was idle for longest, and lets it pass', () => {
    const { passed } = setUp(60, { maxCallers: 2 });
    passed(59, 'a');
    passed(60, 'b');
    passed(1, 'a');
    passed(60, 'c');
    expect([passed(1, 'a'), passed(60, 'b')]).toEqual([0, 60]);
  });

  it('of 0 is no limit', () => {
    expect(setUp(0).limit.take('a')).toBeUndefined();
    expect(setUp(0).limit.peek('a')).toBeUndefined();
    expect(rateLimitHeaders(undefined)).toEqual({});
  });

  it('is told in three families of headers', () => {
    const { clock, limit, passed } = setUp(600);
    expect(rateLimitHeaders(limit.take('a'))).toEqual({
      'ratelimit-policy': '"default";q=600;w=60',
      ratelimit: '"default";r=599;t=1',
      'x-ratelimit-limit': '600',
      'x-ratelimit-remaining': '599',
      'x-ratelimit-reset': String(start / 1000 + 1),
    });
    passed(600);
    expect(rateLimitHeaders(limit.take('a'))).toMatchObject({
      ratelimit: '"default";r=0;t=60',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(start / 1000 + 60),
    });
    clock.advance(60_000);
    expect(rateLimitHeaders(limit.peek('a'))).toMatchObject({ ratelimit: '"default";r=600;t=0' });
  });
});
