import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  answerRetentionSeconds,
  defaultFreshnessSeconds,
  freshUntil,
  isFresh,
  isUsableStale,
} from '../../../src/registries/cache/freshness.ts';
import type { StoredAnswer } from '../../../src/domain/answer.ts';
import { parseDomainName } from '../../../src/domain/names/domain-name.ts';

const now = Date.UTC(2026, 10, 21);
const hour = 3600;
const day = 24 * hour;
const maxAgeLimit = 2_592_000;

interface AnswerOptions {
  readonly verdict: StoredAnswer['verdict'];
  readonly age?: number;
  readonly expiresIn?: number;
}

/**
 * Returns an answer that is `age` seconds old, for a registration that expires in `expiresIn`
 * seconds.
 */
function stored({ verdict, age = 0, expiresIn }: AnswerOptions): StoredAnswer {
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
  it.each<[string, number, AnswerOptions]>([
    ['an available name', 300, { verdict: 'AVAILABLE' }],
    ['a name in redemption', 300, { verdict: 'REDEMPTION', expiresIn: -30 * day }],
    ['a name pending delete', 300, { verdict: 'PENDING_DELETE', expiresIn: -70 * day }],
    ['a reserved name', hour, { verdict: 'RESERVED' }],
    ['a reserved name that expires in a year', hour, { verdict: 'RESERVED', expiresIn: 365 * day }],
    ['a registered name', day, { verdict: 'REGISTERED', expiresIn: 365 * day }],
    ['a registered name without an expiry date', day, { verdict: 'REGISTERED' }],
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
  ])('%s is fresh for %i s', (_case, seconds, options) => {
    expect(defaultFreshnessSeconds(stored(options), now)).toBe(seconds);
    expect(isFresh(stored({ ...options, age: seconds }), undefined, now)).toBe(true);
    expect(isFresh(stored({ ...options, age: seconds + 1 }), undefined, now)).toBe(false);
  });

  it('an answer stops being fresh when the expiry window begins', () => {
    const answer = stored({ verdict: 'REGISTERED', age: 2 * hour, expiresIn: 7 * day + 1 });
    expect(isFresh(answer, undefined, now)).toBe(true);
    expect(isFresh(answer, undefined, now + 1000)).toBe(false);
  });

  it('every answer is fresh until freshUntil, and not after it', () => {
    const verdicts = fc.constantFrom<AnswerOptions['verdict']>(
      'AVAILABLE',
      'REGISTERED',
      'RESERVED',
      'REDEMPTION',
      'PENDING_DELETE',
    );
    const expiresIn = fc.option(fc.integer({ min: -day, max: 10 * day }), { nil: undefined });
    fc.assert(
      fc.property(
        verdicts,
        expiresIn,
        fc.integer({ min: 0, max: 2 * day * 1000 }),
        (verdict, expiry, elapsed) => {
          const answer = stored({ verdict, ...(expiry !== undefined && { expiresIn: expiry }) });
          const until = freshUntil(answer);
          fc.pre(now + elapsed !== until);
          expect(isFresh(answer, undefined, now + elapsed)).toBe(now + elapsed < until);
          expect(isFresh(answer, undefined, until - 1)).toBe(true);
          expect(isFresh(answer, undefined, until + 1)).toBe(false);
        },
      ),
      { numRuns: 2000 },
    );
  });
});

describe('with max_age', () => {
  it.each<[AnswerOptions['verdict'], number, number, boolean]>([
    ['REGISTERED', 0, 0, false],
    ['AVAILABLE', 0, 0, false],
    ['REGISTERED', 60, 60, true],
    ['REGISTERED', 60, 61, false],
    ['REGISTERED', maxAgeLimit, maxAgeLimit, true],
    ['REGISTERED', maxAgeLimit, maxAgeLimit + 1, false],
    ['REGISTERED', 2 * day, 36 * hour, true],
    ['PENDING_DELETE', maxAgeLimit, 10 * day, true],
    ['RESERVED', maxAgeLimit, 10 * day, true],
    ['AVAILABLE', 600, 600, true],
    ['AVAILABLE', 600, 601, false],
    ['AVAILABLE', maxAgeLimit, hour, true],
    ['AVAILABLE', maxAgeLimit, hour + 1, false],
    ['AVAILABLE', hour + 1, hour + 1, false],
  ])('%s with max_age %i and an age of %i s: fresh = %j', (verdict, maxAge, age, fresh) => {
    expect(isFresh(stored({ verdict, age }), maxAge, now)).toBe(fresh);
  });

  it('an answer from the future is never fresh, because the clock was set back', () => {
    expect(isFresh(stored({ verdict: 'REGISTERED', age: -2 * hour }), hour, now)).toBe(false);
    expect(isFresh(stored({ verdict: 'AVAILABLE', age: -2 * hour }), maxAgeLimit, now)).toBe(false);
  });
});

describe('when the registry fails', () => {
  it.each<AnswerOptions['verdict']>(['REGISTERED', 'RESERVED', 'REDEMPTION'])(
    'a stored %s is usable for up to 7 days',
    (verdict) => {
      expect(isUsableStale(stored({ verdict, age: 7 * day }), now)).toBe(true);
      expect(isUsableStale(stored({ verdict, age: 7 * day + 1 }), now)).toBe(false);
    },
  );

  it.each<AnswerOptions['verdict']>(['AVAILABLE', 'PENDING_DELETE'])(
    'a stored %s is never usable, because it may have changed',
    (verdict) => {
      expect(isUsableStale(stored({ verdict, age: 1 }), now)).toBe(false);
    },
  );
});

it('answers are stored for 30 days', () => {
  expect(answerRetentionSeconds).toBe(maxAgeLimit);
});
