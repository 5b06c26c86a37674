import { describe, expect, it } from 'vitest';
import { rateLimit, rateLimitHeaders } from '../../src/accounts/rate-limit.ts';
import { manualClock } from '../support/manual-clock.ts';

const start = Date.UTC(2026, 10, 21);

function setUp(perMinute: number, mostSenders?: number) {
  const clock = manualClock(start);
  const limit = rateLimit(perMinute, clock, mostSenders);
  const passed = (count: number, id = 'a') => Array.from({ length: count }, () => limit.take(id)).filter((taken) => taken?.allowed).length;
  return { clock, limit, passed };
}

describe('the rate limit', () => {
  it.each([
    [600, 60],
    [605, 61],
    [60, 10],
    [7, 10],
    [1, 10],
  ])('of %i a minute lets %i pass at once', (perMinute, burst) => {
    expect(setUp(perMinute).passed(200)).toBe(burst);
  });

  it.each([600, 60, 7])('of %i a minute lets that many pass a minute in the long run', (perMinute) => {
    const { clock, passed } = setUp(perMinute);
    passed(200);
    let count = 0;
    for (let second = 0; second < 600; second++) {
      clock.advance(1000);
      count += passed(200);
    }
    expect(count).toBe(perMinute * 10);
  });

  it('tells a refused sender when to come back, and keeps that promise', () => {
    const { clock, limit, passed } = setUp(7);
    passed(10);
    expect(limit.take('a')).toMatchObject({ allowed: false, remaining: 0, retryAfter: 9 });
    clock.advance(8000);
    expect(limit.take('a')).toMatchObject({ allowed: false, retryAfter: 1 });
    clock.advance(1000);
    expect(limit.take('a')).toMatchObject({ allowed: true, remaining: 0, retryAfter: 9 });
  });

  it('says 0 exactly when the next request would be refused', () => {
    const { clock, limit } = setUp(60);
    for (let count = 0; count < 300; count++) {
      const before = limit.look('a');
      const taken = limit.take('a');
      expect(taken?.allowed).toBe(before?.allowed);
      expect(before?.remaining === 0).toBe(!taken?.allowed);
      clock.advance(350);
    }
  });

  it('counts every sender alone, and whoever cannot be told not at all', () => {
    const { limit, passed } = setUp(600);
    expect([passed(60, 'a'), passed(1, 'a'), passed(60, 'b')]).toEqual([60, 0, 60]);
    expect(limit.take(undefined)).toBeUndefined();
  });

  it('looks without counting', () => {
    const { limit, passed } = setUp(600);
    for (let count = 0; count < 100; count++) limit.look('a');
    expect(passed(100)).toBe(60);
  });

  it('waits until what was overdrawn is made up for', () => {
    const { clock, limit, passed } = setUp(600);
    passed(59);
    limit.overdraw('a', 101);
    expect(limit.look('a')).toMatchObject({ allowed: false, remaining: 0, retryAfter: 11 });
    clock.advance(10_000);
    expect(passed(1)).toBe(0);
    clock.advance(100);
    expect(passed(2)).toBe(1);
  });

  it('of too many senders forgets the one that was idle for longest, and lets it pass', () => {
    const { passed } = setUp(600, 2);
    passed(59, 'a');
    passed(60, 'b');
    passed(1, 'a');
    passed(60, 'c');
    expect([passed(1, 'a'), passed(60, 'b')]).toEqual([0, 60]);
  });

  it('of 0 is no limit', () => {
    expect(rateLimit(0, manualClock()).take('a')).toBeUndefined();
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
    passed(60);
    expect(rateLimitHeaders(limit.take('a'))).toMatchObject({
      ratelimit: '"default";r=0;t=6',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(start / 1000 + 6),
    });
    clock.advance(6000);
    expect(rateLimitHeaders(limit.look('a'))).toMatchObject({ ratelimit: '"default";r=600;t=0' });
  });
});
