import { describe, expect, it } from 'vitest';
import type { OutcomeAge } from '../../../src/domain/outcome.ts';
import type { ProblemCode } from '../../../src/domain/problems.ts';
import { ageHeaders } from '../../../src/server/messages/freshness.ts';

const now = Date.UTC(2026, 10, 21);
const seconds = (value: number | null) => (value === null ? undefined : now + value * 1000);
const aged = (age: number | null, left: number | null, result: Partial<OutcomeAge> = {}) => ({
  data: 'REGISTERED',
  problem: undefined,
  cached: false,
  stale: false,
  checkedAt: seconds(age === null ? null : -age),
  freshUntil: seconds(left),
  ...result,
});
const failed = (code: ProblemCode): Partial<OutcomeAge> => ({ data: undefined, problem: { code } });
const withoutLookup = aged(null, null, failed('invalid_name'));
const unknown = aged(null, null, failed('registry_timeout'));
const pending = aged(null, null, { data: undefined });

describe('the caching headers of a response', () => {
  it.each<[string, readonly OutcomeAge[], number | undefined, string, string | undefined]>([
    ['the remaining freshness', [aged(100, 200)], undefined, 'private, max-age=200', '100'],
    [
      'the shortest remaining freshness, and the largest age',
      [aged(100, 200), aged(5, 295), aged(7, 50)],
      undefined,
      'private, max-age=50',
      '100',
    ],
    ['at most the requested max_age', [aged(10, 290)], 60, 'private, max-age=60', '10'],
    [
      'no longer than the freshness, whatever the requested max_age',
      [aged(10, 290)],
      2_592_000,
      'private, max-age=290',
      '10',
    ],
    ['whole seconds, rounded down', [aged(1.9, 298.1)], undefined, 'private, max-age=298', '1'],
    [
      'zero for a row that is no longer fresh',
      [aged(90_000, -3600)],
      2_592_000,
      'private, max-age=0',
      '90000',
    ],
    [
      'no negative value after the clock was set back',
      [aged(-30, 330)],
      undefined,
      'private, max-age=330',
      '0',
    ],
    [
      'the freshness of the other rows, if a row has no lookup',
      [withoutLookup, aged(1, 299)],
      undefined,
      'private, max-age=299',
      '1',
    ],
    [
      'zero for a response of rows without a lookup',
      [withoutLookup],
      undefined,
      'private, max-age=0',
      undefined,
    ],
    ['no-store with max_age=0', [aged(0, 300)], 0, 'no-store', '0'],
    ['no-store with an UNKNOWN row', [aged(5, 295), unknown], undefined, 'no-store', '5'],
    ['no-store with a PENDING row', [aged(5, 295), pending], undefined, 'no-store', '5'],
    ['no-store with only UNKNOWN rows', [unknown], 60, 'no-store', undefined],
  ])('give %s', (_case, rows, maxAge, control, age) => {
    expect(ageHeaders(rows, maxAge, now)).toEqual({
      'cache-control': control,
      ...(age !== undefined && { age }),
    });
  });
});
