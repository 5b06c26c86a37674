import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  answerRetentionSeconds,
  defaultFreshnessSeconds,
  freshUntil,
  isFresh,
  isUsableStale,
} from '../../src/cache/freshness.ts';
import type { StoredAnswer } from '../../src/cache/store.ts';
import { parseDomainName } from '../../src/domain/domain-name.ts';

const now = Date.UTC(2026, 10, 21);
const hour = 3600;
const day = 24 * hour;
const longest = 2_592_000;

interface Kept {
  readonly verdict: StoredAnswer['verdict'];
  readonly age?: number;
  readonly expiresIn?: number;
}

/** An answer that was learned `age` seconds ago, of a name whose registration ends in `expiresIn` seconds. */
function stored({ verdict, age = 0, expiresIn }: Kept): StoredAnswer {
  const expiresAt = expiresIn === undefined ? {} : { expiresAt: now + expiresIn * 1000 };
  const name = parseDomainName('example.test');
  return {
    name,
    verdict,
    endpoint: 'https://rdap.test/',
    checkedAt: now - age * 1000,
    ...expiresAt,
    isComplete: false,
  };
}

describe('without max_age', () => {
  it.each<[string, number, Kept]>([
    ['a free name', 300, { verdict: 'AVAILABLE' }],
    ['a name in redemption', 300, { verdict: 'REDEMPTION', expiresIn: -30 * day }],
    ['a name pending delete', 300, { verdict: 'PENDING_DELETE', expiresIn: -70 * day }],
    ['a reserved name', hour, { verdict: 'RESERVED' }],
    [
      'a reserved name that is registered for long',
      hour,
      { verdict: 'RESERVED', expiresIn: 365 * day },
    ],
    ['a registered name', day, { verdict: 'REGISTERED', expiresIn: 365 * day }],
    ['a registered name of which no expiry is known', day, { verdict: 'REGISTERED' }],
    [
      'a registered name more than 7 days before its expiry',
      day,
      { verdict: 'REGISTERED', expiresIn: 7 * day + 1 },
    ],
    [
      'a registered name 7 days before its expiry',
      hour,
      { verdict: 'REGISTERED', expiresIn: 7 * day },
    ],
    ['a registered name after its expiry', hour, { verdict: 'REGISTERED', expiresIn: -day }],
  ])('%s is fresh for %i s', (_what, seconds, kept) => {
    expect(defaultFreshnessSeconds(stored(kept), now)).toBe(seconds);
    expect(isFresh(stored({ ...kept, age: seconds }), undefined, now)).toBe(true);
    expect(isFresh(stored({ ...kept, age: seconds + 1 }), undefined, now)).toBe(false);
  });

  it('freshness shrinks as the expiry comes near', () => {
    const kept = stored({ verdict: 'REGISTERED', age: 2 * hour, expiresIn: 7 * day + 1 });
    expect(isFresh(kept, undefined, now)).toBe(true);
    expect(isFresh(kept, undefined, now + 1000)).toBe(false);
  });

  it('every answer is fresh up to the moment that is told, and not after it', () => {
    const verdict = fc.constantFrom<Kept['verdict']>(
      'AVAILABLE',
      'REGISTERED',
      'RESERVED',
      'REDEMPTION',
      'PENDING_DELETE',
    );
    const expiresIn = fc.option(fc.integer({ min: -day, max: 10 * day }), { nil: undefined });
    fc.assert(
      fc.property(
        verdict,
        expiresIn,
        fc.integer({ min: 0, max: 2 * day * 1000 }),
        (word, expiry, elapsed) => {
          const kept = stored({
            verdict: word,
            ...(expiry !== undefined && { expiresIn: expiry }),
          });
          const until = freshUntil(kept);
          fc.pre(now + elapsed !== until);
          expect(isFresh(kept, undefined, now + elapsed)).toBe(now + elapsed < until);
          expect(isFresh(kept, undefined, until - 1)).toBe(true);
          expect(isFresh(kept, undefined, until + 1)).toBe(false);
        },
      ),
      { numRuns: 2000 },
    );
  });
});

describe('max_age', () => {
  it.each<[Kept['verdict'], number, number, boolean]>([
    ['REGISTERED', 0, 0, false],
    ['AVAILABLE', 0, 0, false],
    ['REGISTERED', 60, 60, true],
    ['REGISTERED', 60, 61, false],
    ['REGISTERED', longest, longest, true],
    ['REGISTERED', longest, longest + 1, false],
    ['REGISTERED', 2 * day, 36 * hour, true],
    ['PENDING_DELETE', longest, 10 * day, true],
    ['RESERVED', longest, 10 * day, true],
    ['AVAILABLE', 600, 600, true],
    ['AVAILABLE', 600, 601, false],
    ['AVAILABLE', longest, hour, true],
    ['AVAILABLE', longest, hour + 1, false],
    ['AVAILABLE', hour + 1, hour + 1, false],
  ])('of an answer %s, %i: one of %i s will do: %j', (verdict, maxAge, age, good) => {
    expect(isFresh(stored({ verdict, age }), maxAge, now)).toBe(good);
  });

  it('is not fooled by a clock that was set back', () => {
    expect(isFresh(stored({ verdict: 'REGISTERED', age: -2 * hour }), hour, now)).toBe(false);
    expect(isFresh(stored({ verdict: 'AVAILABLE', age: -2 * hour }), longest, now)).toBe(false);
  });
});

describe('when the registry fails', () => {
  it.each<Kept['verdict']>(['REGISTERED', 'RESERVED', 'REDEMPTION'])(
    '%s stands in for up to 7 days',
    (verdict) => {
      expect(isUsableStale(stored({ verdict, age: 7 * day }), now)).toBe(true);
      expect(isUsableStale(stored({ verdict, age: 7 * day + 1 }), now)).toBe(false);
    },
  );

  it.each<Kept['verdict']>(['AVAILABLE', 'PENDING_DELETE'])(
    '%s never stands in: what it says may be over',
    (verdict) => {
      expect(isUsableStale(stored({ verdict, age: 1 }), now)).toBe(false);
    },
  );
});

it('answers are kept for 30 days', () => {
  expect(answerRetentionSeconds).toBe(longest);
});
