import { expect, it } from 'vitest';
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

interface Case {
  readonly rows: readonly OutcomeAge[];
  /** The `max_age` of the request. */
  readonly maxAge?: number;
  readonly control: string;
  readonly age?: string;
}

const cases: Readonly<Record<string, Case>> = {
  'the remaining freshness': {
    rows: [aged(100, 200)],
    control: 'private, max-age=200',
    age: '100',
  },
  'the shortest remaining freshness, and the largest age': {
    rows: [aged(100, 200), aged(5, 295), aged(7, 50)],
    control: 'private, max-age=50',
    age: '100',
  },
  'at most the requested max_age': {
    rows: [aged(10, 290)],
    maxAge: 60,
    control: 'private, max-age=60',
    age: '10',
  },
  'no longer than the freshness, whatever the requested max_age': {
    rows: [aged(10, 290)],
    maxAge: 2_592_000,
    control: 'private, max-age=290',
    age: '10',
  },
  'whole seconds, rounded down': {
    rows: [aged(1.9, 298.1)],
    control: 'private, max-age=298',
    age: '1',
  },
  'zero for a row that is no longer fresh': {
    rows: [aged(90_000, -3600)],
    maxAge: 2_592_000,
    control: 'private, max-age=0',
    age: '90000',
  },
  'no negative value after the clock was set back': {
    rows: [aged(-30, 330)],
    control: 'private, max-age=330',
    age: '0',
  },
  'the freshness of the other rows, if a row has no lookup': {
    rows: [withoutLookup, aged(1, 299)],
    control: 'private, max-age=299',
    age: '1',
  },
  'zero for a response of rows without a lookup': {
    rows: [withoutLookup],
    control: 'private, max-age=0',
  },
  'no-store with max_age=0': { rows: [aged(0, 300)], maxAge: 0, control: 'no-store', age: '0' },
  'no-store with an UNKNOWN row': { rows: [aged(5, 295), unknown], control: 'no-store', age: '5' },
  'no-store with a PENDING row': { rows: [aged(5, 295), pending], control: 'no-store', age: '5' },
  'no-store with only UNKNOWN rows': { rows: [unknown], maxAge: 60, control: 'no-store' },
};

it.each(Object.entries(cases))(
  'the caching headers of a response give %s',
  (_case, { rows, maxAge, control, age }) => {
    expect(ageHeaders(rows, maxAge, now)).toEqual({
      'cache-control': control,
      ...(age !== undefined && { age }),
    });
  },
);
