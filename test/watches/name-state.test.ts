import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDomainName } from '../../src/domain/names/domain-name.ts';
import { newState, observe } from '../../src/watches/name-state.ts';
import type { Facts, NameState, Observation } from '../../src/watches/observation.ts';
import { fastCheckOptions, seed } from '../fuzz/fuzzing.ts';
import {
  dayMs,
  hourMs,
  minuteMs,
  paceOf,
  sandboxPace,
  scheduleOf,
} from '../../src/watches/schedule.ts';

const name = parseDomainName('name.example');
const start = Date.UTC(2026, 10, 1, 5, 7);
const iso = (ms: number) => new Date(ms).toISOString();

type Seen = (Facts & { readonly source?: string; readonly isDelegated?: boolean }) | undefined;
/** A look, in minutes after the first one. */
type Look = readonly [minutes: number, seen: Seen];

const active = {
  verdict: 'REGISTERED',
  phase: 'ACTIVE',
  createdAt: iso(start - 900 * dayMs),
  updatedAt: iso(start - 100 * dayMs),
  expiresAt: iso(start + 200 * dayMs),
  registrar: { name: 'Old Registrar', ianaId: '1' },
  nameservers: ['ns1.example', 'ns2.example'],
  dnssec: [],
  statuses: ['client transfer prohibited'],
} as const satisfies Seen;
const free = { verdict: 'AVAILABLE', phase: null } as const;
const other = { ...active, registrar: { name: 'New Registrar', ianaId: '2' } };
const deleting = { ...active, verdict: 'PENDING_DELETE', phase: 'PENDING_DELETE' } as const;
const { updatedAt: _updatedAt, ...omitted } = other;
const { updatedAt: _date, ...undated } = active;
const { expiresAt: _expiry, ...undatedExpiry } = active;
const server = { b: { ...active, source: 'whois://b', registrar: { name: 'OTHER FORM' } } };
const { registrar: _registrar, ...withoutRegistrar } = server.b;
const { verdict, nameservers, statuses, registrar } = active;
const withoutMost = { verdict, nameservers, statuses, registrar };
const renewed = { expiresAt: iso(start + 565 * dayMs) };
const moved = { updatedAt: iso(start + minuteMs) };
const week = 7 * 24 * 60;
const days = (count: number) => count * 24 * 60;

function observation(seen: Seen): Observation {
  const { source, isDelegated, ...facts } = seen ?? {};
  return {
    facts: seen?.verdict ? { ...facts, verdict: seen.verdict } : undefined,
    source: source ?? (seen && 'registrar' in seen ? 'https://rdap.example/' : undefined),
    isDelegated,
    evidence: null,
  };
}

/** Returns the differences of looks as `TYPE notBefore-seenAt`, in minutes. */
function differences(looks: readonly Look[]): readonly string[] {
  let state: NameState = newState(start);
  return looks.flatMap(([minutes, seen]) => {
    const result = observe(state, observation(seen), start + minutes * minuteMs, paceOf(true));
    state = JSON.parse(JSON.stringify(result.state)) as NameState;
    const toMinutes = (ms: number) => (ms - start) / minuteMs;
    return result.differences.map(
      ({ type, notBefore, seenAt }) => `${type} ${toMinutes(notBefore)}-${toMinutes(seenAt)}`,
    );
  });
}

// Looks that fail, lack members, or are answered by another server.
type Fault = (facts: Seen) => Seen;
const gaps: readonly Fault[] = [
  (facts) => facts,
  (facts) => facts,
  () => undefined,
  (facts) => facts && { verdict: facts.verdict ?? 'REGISTERED' },
];
const otherServer: Fault = (facts) =>
  facts && { ...facts, source: 'whois://b', registrar: { name: 'OTHER FORM' } };
const schedules = (...more: readonly Fault[]) => {
  const faults = fc.constantFrom(...gaps, ...more);
  return fc
    .array(fc.tuple(fc.integer({ min: 10, max: 2000 }), faults), { minLength: 1, maxLength: 40 })
    .map((steps) => {
      let minutes = 0;
      return steps.map(([step, fault]) => [(minutes += step), fault] as const);
    });
};
const changes = (looks: readonly Look[]) =>
  differences(looks)
    .map((each) => each.split(' ')[0])
    .filter((type) => type !== 'WITHOUT_VERDICT' && type !== 'VERDICT_BACK');

describe(`the comparison of looks at random (seed ${seed})`, () => {
  it('invents nothing', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<Seen>(active, free, deleting),
        schedules(otherServer),
        (facts, looks) => {
          expect(
            changes([[0, facts], ...looks.map(([at, fault]): Look => [at, fault(facts)])]),
          ).toEqual([]);
        },
      ),
      fastCheckOptions(300),
    );
  });

  it('reports a change that lasts, once', () => {
    const pairs = fc.constantFrom<readonly [Seen, Seen, string]>(
      [active, other, 'REGISTRAR'],
      [active, { ...active, statuses: ['client hold'] }, 'STATUSES'],
      [deleting, free, 'AVAILABLE'],
      [free, active, 'REGISTERED'],
      [active, deleting, 'PHASE'],
      [active, { ...active, ...moved }, 'UPDATED'],
    );
    fc.assert(
      fc.property(
        pairs,
        schedules(otherServer),
        schedules(otherServer),
        ([before, after, type], early, late) => {
          const change = (early.at(-1)?.[0] ?? 10) + 1;
          const looks: readonly Look[] = [
            [0, before],
            [10, before],
            ...early.map(([at, fault]): Look => [at, fault(before)]),
            ...late.map(([at, fault]): Look => [change + at, fault(after)]),
            ...[1, 11, 21].map((at): Look => [change + 100_000 + at, after]),
          ];
          expect(changes(looks)).toEqual([type]);
        },
      ),
      fastCheckOptions(300),
    );
  });
});

describe('the schedule of looks', () => {
  const { registrar: _held, ...lacking } = { ...active, source: 'https://rdap.example/' };
  const bare = { verdict: 'REGISTERED', isDelegated: true } as const;
  it.each<[what: string, last: Seen, later: Seen]>([
    ['a part of the record', active, lacking],
    ['a part of the record that differed', other, lacking],
    ['a record that differed', other, bare],
    ['a phase that differed', deleting, bare],
    ['the record of another server that differed', { ...server.b, ...renewed }, bare],
  ])('asks a registry rarely that no longer sends %s', (_, last, later) => {
    const shown = [active, server.b, active, last];
    let [state, now, asked] = [newState(start), start, 0];
    while (now < start + 60 * dayMs) {
      const seen = state.recordAt > now ? bare : (shown[asked] ?? later);
      if (state.recordAt <= now) asked += 1;
      state = observe(state, observation(seen), now, paceOf(true)).state;
      const { nextLook, recordAt } = scheduleOf(name, state, now, paceOf(true));
      state = { ...state, recordAt };
      now = nextLook;
    }
    expect(asked).toBeLessThan(32);
  });
});

const look = (facts: Facts) => ({
  facts: { ...facts, verdict: facts.verdict ?? 'RESERVED' },
  source: 'x',
  evidence: null,
});

describe('the comparison of looks', () => {
  interface Case {
    /** What is seen, by minutes after the first look. */
    readonly looks: Readonly<Record<number, Seen>>;
    /** Differences as `TYPE notBefore-seenAt`. */
    readonly reports: readonly string[];
  }
  const fields = ['nameservers', 'dnssec', 'statuses'];
  const added: Record<string, Case> = Object.fromEntries(
    fields.map((field) => [
      `reports that ${field} were added, unless the registry says that nothing has changed`,
      {
        looks: {
          0: { ...undated, [field]: [] },
          [week]: { ...undated, [field]: ['x'] },
          [week + 10]: { ...undated, [field]: ['x'] },
        },
        reports: [`${field.toUpperCase()} 0-10080`],
      },
    ]),
  );
  const cases: Record<string, Case> = {
    'reports nothing for the first look': { looks: { 0: active }, reports: [] },
    'reports nothing while nothing changes': {
      looks: { 0: active, [week]: active, [2 * week]: active },
      reports: [],
    },
    'reports a difference that is seen twice': {
      looks: { 0: active, 100: other, 110: other, 200: other },
      reports: ['REGISTRAR 0-100'],
    },
    'waits ten minutes for the second look': {
      looks: { 0: active, 100: other, 109: other, 110: other },
      reports: ['REGISTRAR 0-100'],
    },
    'forgets a difference that is gone': {
      looks: { 0: active, 100: other, 110: active, 200: other, 205: other },
      reports: [],
    },
    'starts again with a third value': {
      looks: { 0: active, 100: other, 110: { ...active, registrar: { ianaId: '3' } }, 120: other },
      reports: [],
    },
    'needs one look if the last change moved': {
      looks: { 0: active, 100: { ...other, ...moved } },
      reports: ['REGISTRAR 0-100'],
    },
    'reports each of several differences': {
      looks: {
        0: active,
        100: {
          ...other,
          ...moved,
          nameservers: ['ns3.example'],
          dnssec: ['1 13 2 AB'],
          statuses: [...active.statuses, 'inactive'],
          expiresAt: iso(start + 565 * dayMs),
        },
      },
      reports: [
        'EXPIRY 0-100',
        'REGISTRAR 0-100',
        'NAMESERVERS 0-100',
        'DNSSEC 0-100',
        'STATUSES 0-100',
      ],
    },
    'reports UPDATED if nothing else differs': {
      looks: { 0: active, 100: { ...active, ...moved }, 200: active, 300: { ...active, ...moved } },
      reports: ['UPDATED 0-100'],
    },
    'reports no UPDATED beside a difference': {
      looks: { 0: active, 100: { ...other, ...moved }, 110: { ...other, ...moved } },
      reports: ['REGISTRAR 0-100'],
    },
    'reports UPDATED once lists that were lost with it are back': {
      looks: {
        0: active,
        100: { ...active, ...moved, nameservers: [] },
        200: { ...active, ...moved },
        300: { ...active, ...moved },
      },
      reports: ['UPDATED 0-200'],
    },
    'takes lists that are empty when a name is registered again for a loss, too': {
      looks: {
        0: free,
        10: free,
        100: { ...active, nameservers: [], createdAt: iso(start) },
        110: { ...active, nameservers: [], createdAt: iso(start) },
        [week]: { ...active, createdAt: iso(start) },
        [week + 10]: { ...active, createdAt: iso(start) },
      },
      reports: ['REGISTERED 10-100'],
    },
    'keeps the record of the first look at a new registration that the second one lacks': {
      looks: {
        0: free,
        10: free,
        100: active,
        110: withoutMost,
        [week]: { ...active, ...renewed },
        [week + 10]: { ...active, ...renewed },
      },
      reports: ['REGISTERED 10-100', `EXPIRY 110-${week}`],
    },
    'takes lists that were lost in each of the first looks for a loss, too': {
      looks: {
        0: { ...active, nameservers: [] },
        [days(12)]: { ...active, nameservers: [] },
        [days(19)]: active,
        [days(19) + 10]: active,
      },
      reports: [],
    },
    'believes after four weeks that a list was empty from the first look on': {
      looks: {
        0: active,
        [days(28)]: active,
        [days(35)]: { ...active, dnssec: ['1 13 2 AB'] },
        [days(35) + 10]: { ...active, dnssec: ['1 13 2 AB'] },
      },
      reports: ['DNSSEC 40320-50400'],
    },
    'believes the parent zone, also later, that there are no name servers': {
      looks: {
        0: { ...active, nameservers: [] },
        [days(1)]: { ...active, nameservers: [], isDelegated: false },
        [days(3)]: active,
        [days(3) + 10]: active,
      },
      reports: ['NAMESERVERS 1440-4320'],
    },
    'reports UPDATED beside a phase that comes with time': {
      looks: { 0: active, [days(6)]: { ...active, ...moved, phase: 'EXPIRING' } },
      reports: ['PHASE 0-8640', 'UPDATED 0-8640'],
    },
    'takes no phase for a change that depends on a date which only one record has': {
      looks: {
        0: { ...active, phase: 'EXPIRING' },
        100: undatedExpiry,
        110: undatedExpiry,
        200: { ...active, phase: 'EXPIRING' },
        210: { ...active, phase: 'EXPIRING' },
      },
      reports: [],
    },
    'takes a phase for known that comes with its first date': {
      looks: {
        0: undatedExpiry,
        100: { ...active, phase: 'EXPIRING' },
        110: { ...active, phase: 'EXPIRING' },
        [days(40)]: { ...active, phase: 'EXPIRED' },
        [days(40) + 10]: { ...active, phase: 'EXPIRED' },
      },
      reports: ['PHASE 110-57600'],
    },
    'reports AVAILABLE after a second look': {
      looks: { 0: deleting, 100: free, 109: free, 110: free, 200: free },
      reports: ['AVAILABLE 0-100'],
    },
    'reports no AVAILABLE that is seen once, whatever "last changed" says': {
      looks: { 0: active, 100: { ...free, ...moved }, 105: active },
      reports: [],
    },
    'reports no AVAILABLE that is seen once': {
      looks: { 0: deleting, 100: free, 110: deleting, 120: free, 125: deleting },
      reports: [],
    },
    'reports REGISTERED after AVAILABLE': {
      looks: { 0: free, 10: free, 100: active, 110: active, 120: active },
      reports: ['REGISTERED 10-100'],
    },
    'takes a first look for a lie if the registration is older': {
      looks: { 0: free, 10: active, 20: active },
      reports: [],
    },
    'takes a verdict alone for no change of the phase': {
      looks: { 0: deleting, 100: { verdict: 'REGISTERED' }, 110: { verdict: 'REGISTERED' } },
      reports: [],
    },
    'takes lists that are empty at first for a loss, unless the last change moved': {
      looks: {
        0: { ...active, nameservers: [] },
        [week]: active,
        [week + 10]: { ...active, ...moved, dnssec: ['1 13 2 AB'] },
      },
      reports: ['DNSSEC 10080-10090'],
    },
    'explains a last change by a difference that was seen without it': {
      looks: { 0: active, 100: omitted, 110: omitted, 200: { ...other, ...moved } },
      reports: ['REGISTRAR 0-100'],
    },
    'compares nothing of a new registration with the old one': {
      looks: { 0: active, 10: free, 20: free, 30: other, 40: other, 50: other },
      reports: ['AVAILABLE 0-10', 'REGISTERED 20-30'],
    },
    'reports a new phase': {
      looks: { 0: active, 100: deleting, 110: deleting },
      reports: ['PHASE 0-100'],
    },
    'reports a reservation as PHASE': {
      looks: {
        0: free,
        100: { verdict: 'RESERVED', phase: null },
        110: { verdict: 'RESERVED', phase: null },
      },
      reports: ['PHASE 0-100'],
    },
    'takes a verdict alone for the second look': {
      looks: {
        0: deleting,
        1: active,
        100: { verdict: 'REGISTERED', isDelegated: true },
        110: active,
      },
      reports: ['PHASE 0-1'],
    },
    'takes absent members for unknown': {
      looks: {
        0: active,
        100: { verdict: 'REGISTERED', phase: 'ACTIVE' },
        110: { verdict: 'REGISTERED', phase: 'ACTIVE' },
      },
      reports: [],
    },
    'takes a new member for known': {
      looks: { 0: { verdict: 'REGISTERED', phase: 'ACTIVE' }, 100: active, 110: active },
      reports: [],
    },
    'lets an empty list wait for a day': {
      looks: {
        0: active,
        100: { ...active, nameservers: [] },
        110: { ...active, nameservers: [] },
        [100 + days(1)]: { ...active, nameservers: [] },
      },
      reports: ['NAMESERVERS 0-100'],
    },
    'ignores the spelling of a registrar with the same number': {
      looks: {
        0: active,
        100: { ...active, registrar: { name: 'OLD REGISTRAR', ianaId: '1' } },
        110: { ...active, registrar: { name: 'old registrar' } },
      },
      reports: [],
    },
    'does not compare the records of two servers': {
      looks: {
        0: active,
        100: { ...other, source: 'whois://b' },
        110: { ...other, source: 'whois://b' },
        200: active,
      },
      reports: [],
    },
    'compares the records of each server with its own': {
      looks: {
        0: active,
        100: { ...other, source: 'whois://b' },
        [100 + days(14)]: { ...other, source: 'whois://b' },
        29999: { ...active, source: 'whois://b' },
        30009: { ...active, source: 'whois://b' },
      },
      reports: ['REGISTRAR 20260-29999'],
    },
    'reports what another server shows alone': {
      looks: {
        0: active,
        100: server.b,
        [week]: { ...server.b, ...renewed },
        [week + 10]: { ...server.b, ...renewed },
        [days(14)]: { ...server.b, ...renewed },
        [days(15)]: active,
      },
      reports: ['EXPIRY 100-10080'],
    },
    'reports once what two servers show in turns, one of them late': {
      looks: {
        0: active,
        10: server.b,
        100: { ...active, ...renewed },
        110: server.b,
        120: { ...active, ...renewed },
        130: server.b,
        140: { ...active, ...renewed },
        150: { ...server.b, ...renewed },
        160: { ...server.b, ...renewed },
        170: { ...active, ...renewed },
      },
      reports: ['EXPIRY 0-100'],
    },
    'reports what follows a change that the same server has reported': {
      looks: {
        0: active,
        100: { ...other, ...moved },
        110: server.b,
        200: { ...active, ...moved },
        210: { ...active, ...moved },
      },
      reports: ['REGISTRAR 0-100', 'REGISTRAR 100-200'],
    },
    'reports what follows a change that another server has reported in the same form': {
      looks: {
        0: active,
        10: server.b,
        20: { ...server.b, statuses: ['1'] },
        30: { ...server.b, statuses: ['1'] },
        100: { ...active, statuses: ['2'] },
        110: { ...active, statuses: ['2'] },
        120: { ...server.b, statuses: ['2'] },
        130: { ...server.b, statuses: ['2'] },
      },
      reports: ['STATUSES 10-20', 'STATUSES 0-100'],
    },
    'compares no member of one server with that of another': {
      looks: { 0: active, 100: withoutRegistrar, 110: server.b, 120: server.b },
      reports: [],
    },
    'compares the phases of each server with its own': {
      looks: {
        0: active,
        10: { ...server.b, phase: 'EXPIRED' },
        20: active,
        30: { ...server.b, phase: 'ON_HOLD' },
        40: active,
        50: { ...server.b, phase: 'ON_HOLD' },
        60: active,
      },
      reports: ['PHASE 10-30'],
    },
    'believes another server after two weeks that a name was restored': {
      looks: {
        0: deleting,
        10: server.b,
        20: server.b,
        [days(14)]: server.b,
        [days(14) + 10]: server.b,
      },
      reports: ['PHASE 0-20160'],
    },
    ...added,
    'reports name servers that are added with the first date of a change': {
      looks: {
        0: { ...undated, nameservers: [] },
        [week]: { ...active, ...moved },
        [week + 10]: { ...active, ...moved },
      },
      reports: ['NAMESERVERS 0-10080'],
    },
    'reports name servers of a name that was not delegated': {
      looks: {
        0: { ...active, nameservers: [], isDelegated: false },
        [week]: active,
        [week + 10]: active,
      },
      reports: ['NAMESERVERS 0-10080'],
    },
    'compares the verdicts of two servers': {
      looks: {
        0: active,
        100: { ...deleting, source: 'whois://b' },
        110: { ...deleting, source: 'whois://b' },
      },
      reports: ['PHASE 0-100'],
    },
    'reports three days without a verdict once, and the end': {
      looks: {
        0: active,
        10: undefined,
        [days(3)]: undefined,
        [10 + days(3)]: undefined,
        [days(5)]: undefined,
        [days(6)]: active,
      },
      reports: ['WITHOUT_VERDICT 0-10', 'VERDICT_BACK 0-8640'],
    },
    'reports three intervals without a verdict': {
      looks: {
        0: deleting,
        [days(1)]: undefined,
        [days(1) + 36 * 60 - 1]: undefined,
        [days(1) + 36 * 60]: undefined,
      },
      reports: ['WITHOUT_VERDICT 0-1440'],
    },
    'reports no failure that ends in time': {
      looks: {
        0: active,
        10: undefined,
        [days(2)]: undefined,
        [days(2) + 10]: active,
        [days(3)]: undefined,
        [days(4)]: active,
      },
      reports: [],
    },
    'reports nothing about a name that never had a verdict': {
      looks: { 0: undefined, [days(9)]: undefined, [days(10)]: active },
      reports: [],
    },
    'keeps a difference over a failed second look': {
      looks: { 0: active, 100: other, 110: undefined, 120: other },
      reports: ['REGISTRAR 0-100'],
    },
    'takes no verdict of the zone for a failure of a name without a delegation': {
      looks: {
        0: { ...active, isDelegated: false },
        [days(1)]: { isDelegated: false },
        [days(9)]: { isDelegated: false },
      },
      reports: [],
    },
  };
  it.each(Object.entries(cases))('%s', (_what, { looks, reports }) => {
    const inOrder = Object.entries(looks).map(([at, seen]): Look => [Number(at), seen]);
    expect(differences(inOrder)).toEqual(reports);
  });

  it.each([
    ['in 30 days, to the second', (now: number) => now + 30 * dayMs],
    ['in 30 days, at midnight', (now: number) => Math.floor(now / dayMs) * dayMs + 30 * dayMs],
  ])('takes dates that move by themselves for no change: %s', (_what, date) => {
    const looks = [0, 15, 1440, 1455, 9000, 12_000, 12_010].map((minutes): Look => {
      const now = start + minutes * minuteMs;
      return [
        minutes,
        { ...active, expiresAt: iso(date(now)), updatedAt: iso(date(now) - 31 * dayMs) },
      ];
    });
    expect(differences(looks)).toEqual([]);
  });

  it('reports a renewal of one year', () => {
    expect(
      differences([
        [0, active],
        [week, { ...active, ...renewed }],
        [week + 10, { ...active, ...renewed }],
      ]),
    ).toEqual(['EXPIRY 0-10080']);
  });

  it('has what differs before and after, with verdict and phase', () => {
    const pace = sandboxPace;
    const { state } = observe(newState(start), look(active), start, pace);
    const [change] = observe(state, look({ ...other, ...moved }), start + hourMs, pace).differences;
    const standing = { verdict: 'REGISTERED', phase: 'ACTIVE' };
    expect(change?.before).toEqual({ ...standing, registrar: active.registrar });
    expect(change?.after).toEqual({ ...standing, registrar: other.registrar });
  });
});
