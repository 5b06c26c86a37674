import { describe, expect, it } from 'vitest';
import { RateLimit, type RateLimitOptions } from '../../src/accounts/rate-limit.ts';
import { manualClock } from '../support/time/manual-clock.ts';

const start = Date.UTC(2026, 10, 21);

function setUp(perMinute: number, options: RateLimitOptions = {}) {
  const clock = manualClock(start);
  const limit = new RateLimit(perMinute, clock, options);
  const countAllowed = (count: number, id = 'a') =>
    Array.from({ length: count }, () => limit.take(id)).filter((taken) => taken?.allowed).length;
  return { clock, limit, countAllowed };
}

describe('RateLimit', () => {
  it.each([600, 60, 7, 1])('allows a burst of %i with that limit per minute', (perMinute) => {
    expect(setUp(perMinute).countAllowed(1000)).toBe(perMinute);
  });

  it('allows only the configured burst', () => {
    expect(setUp(600, { burst: 60 }).countAllowed(1000)).toBe(60);
  });

  it.each([600, 60, 7])('allows %i requests per minute in the long run', (perMinute) => {
    const { clock, countAllowed } = setUp(perMinute);
    countAllowed(1000);
    let count = 0;
    for (let second = 0; second < 600; second++) {
      clock.advance(1000);
      count += countAllowed(200);
    }
    expect(count).toBe(perMinute * 10);
  });

  it('allows a rejected caller to send again after retryAfter', () => {
    const { clock, limit, countAllowed } = setUp(7);
    countAllowed(7);
    expect(limit.take('a')).toMatchObject({ allowed: false, remaining: 0, retryAfter: 9 });
    clock.advance(8000);
    expect(limit.take('a')).toMatchObject({ allowed: false, retryAfter: 1 });
    clock.advance(1000);
    expect(limit.take('a')).toMatchObject({ allowed: true, remaining: 0, retryAfter: 9 });
  });

  it('reports exactly how many requests are allowed, at any time', () => {
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

  it('reports when the bucket is full again', () => {
    const { clock, limit, countAllowed } = setUp(60);
    countAllowed(45);
    const { resetAfter = 0, resetAt } = limit.peek('a') ?? {};
    expect(resetAt).toBe(start / 1000 + 45);
    clock.advance(resetAfter * 1000 - 1000);
    expect(limit.peek('a')?.remaining).toBe(59);
    clock.advance(1000);
    expect(limit.peek('a')).toMatchObject({ remaining: 60, resetAfter: 0 });
  });

  it('counts each caller separately, and does not limit unknown callers', () => {
    const { limit, countAllowed } = setUp(600);
    expect([countAllowed(600, 'a'), countAllowed(1, 'a'), countAllowed(600, 'b')]).toEqual([
      600, 0, 600,
    ]);
    expect(limit.take(undefined)).toBeUndefined();
  });

  it('does not count a peek', () => {
    const { limit, countAllowed } = setUp(600);
    for (let count = 0; count < 100; count++) limit.peek('a');
    expect(countAllowed(1000)).toBe(600);
  });

  it('rejects requests until an overdraft is refilled', () => {
    const { clock, limit, countAllowed } = setUp(600);
    countAllowed(599);
    limit.overdraw('a', 101);
    expect(limit.peek('a')).toMatchObject({ allowed: false, remaining: 0, retryAfter: 11 });
    clock.advance(10_000);
    expect(countAllowed(1)).toBe(0);
    clock.advance(100);
    expect(countAllowed(2)).toBe(1);
  });

  it('evicts the caller that was idle for longest, which refills its bucket', () => {
    const { countAllowed } = setUp(60, { maxCallers: 2 });
    countAllowed(59, 'a');
    countAllowed(60, 'b');
    countAllowed(1, 'a');
    countAllowed(60, 'c');
    expect([countAllowed(1, 'a'), countAllowed(60, 'b')]).toEqual([0, 60]);
  });
});
