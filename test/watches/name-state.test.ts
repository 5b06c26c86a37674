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
  type Case = readonly [what: string, looks: readonly Look[], expected: readonly string[]];
  const cases: readonly Case[] = [
    ['reports nothing for the first look', [[0, active]], []],
    [
      'reports nothing while nothing changes',
      [
        [0, active],
        [week, active],
        [2 * week, active],
      ],
      [],
    ],
    [
      'reports a difference that is seen twice',
      [
        [0, active],
        [100, other],
        [110, other],
        [200, other],
      ],
      ['REGISTRAR 0-100'],
    ],
    [
      'waits ten minutes for the second look',
      [
        [0, active],
        [100, other],
        [109, other],
        [110, other],
      ],
      ['REGISTRAR 0-100'],
    ],
    [
      'forgets a difference that is gone',
      [
        [0, active],
        [100, other],
        [110, active],
        [200, other],
        [205, other],
      ],
      [],
    ],
    [
      'starts again with a third value',
      [
        [0, active],
        [100, other],
        [110, { ...active, registrar: { ianaId: '3' } }],
        [120, other],
      ],
      [],
    ],
    [
      'needs one look if the last change moved',
      [
        [0, active],
        [100, { ...other, ...moved }],
      ],
      ['REGISTRAR 0-100'],
    ],
    [
      'reports each of several differences',
      [
        [0, active],
        [
          100,
          {
            ...other,
            ...moved,
            nameservers: ['ns3.example'],
            dnssec: ['1 13 2 AB'],
            statuses: [...active.statuses, 'inactive'],
            expiresAt: iso(start + 565 * dayMs),
          },
        ],
      ],
      ['EXPIRY 0-100', 'REGISTRAR 0-100', 'NAMESERVERS 0-100', 'DNSSEC 0-100', 'STATUSES 0-100'],
    ],
    [
      'reports UPDATED if nothing else differs',
      [
        [0, active],
        [100, { ...active, ...moved }],
        [200, active],
        [300, { ...active, ...moved }],
      ],
      ['UPDATED 0-100'],
    ],
    [
      'reports no UPDATED beside a difference',
      [
        [0, active],
        [100, { ...other, ...moved }],
        [110, { ...other, ...moved }],
      ],
      ['REGISTRAR 0-100'],
    ],
    [
      'reports UPDATED once lists that were lost with it are back',
      [
        [0, active],
        [100, { ...active, ...moved, nameservers: [] }],
        [200, { ...active, ...moved }],
        [300, { ...active, ...moved }],
      ],
      ['UPDATED 0-200'],
    ],
    [
      'takes lists that are empty when a name is registered again for a loss, too',
      [
        [0, free],
        [10, free],
        [100, { ...active, nameservers: [], createdAt: iso(start) }],
        [110, { ...active, nameservers: [], createdAt: iso(start) }],
        [week, { ...active, createdAt: iso(start) }],
        [week + 10, { ...active, createdAt: iso(start) }],
      ],
      ['REGISTERED 10-100'],
    ],
    [
      'keeps the record of the first look at a new registration that the second one lacks',
      [
        [0, free],
        [10, free],
        [100, active],
        [110, withoutMost],
        [week, { ...active, ...renewed }],
        [week + 10, { ...active, ...renewed }],
      ],
      ['REGISTERED 10-100', `EXPIRY 110-${week}`],
    ],
    [
      'takes lists that were lost in each of the first looks for a loss, too',
      [
        [0, { ...active, nameservers: [] }],
        [days(12), { ...active, nameservers: [] }],
        [days(19), active],
        [days(19) + 10, active],
      ],
      [],
    ],
    [
      'believes after four weeks that a list was empty from the first look on',
      [
        [0, active],
        [days(28), active],
        [days(35), { ...active, dnssec: ['1 13 2 AB'] }],
        [days(35) + 10, { ...active, dnssec: ['1 13 2 AB'] }],
      ],
      ['DNSSEC 40320-50400'],
    ],
    [
      'believes the parent zone, also later, that there are no name servers',
      [
        [0, { ...active, nameservers: [] }],
        [days(1), { ...active, nameservers: [], isDelegated: false }],
        [days(3), active],
        [days(3) + 10, active],
      ],
      ['NAMESERVERS 1440-4320'],
    ],
    [
      'reports UPDATED beside a phase that comes with time',
      [
        [0, active],
        [days(6), { ...active, ...moved, phase: 'EXPIRING' }],
      ],
      ['PHASE 0-8640', 'UPDATED 0-8640'],
    ],
    [
      'takes no phase for a change that depends on a date which only one record has',
      [
        [0, { ...active, phase: 'EXPIRING' }],
        [100, undatedExpiry],
        [110, undatedExpiry],
        [200, { ...active, phase: 'EXPIRING' }],
        [210, { ...active, phase: 'EXPIRING' }],
      ],
      [],
    ],
    [
      'takes a phase for known that comes with its first date',
      [
        [0, undatedExpiry],
        [100, { ...active, phase: 'EXPIRING' }],
        [110, { ...active, phase: 'EXPIRING' }],
        [days(40), { ...active, phase: 'EXPIRED' }],
        [days(40) + 10, { ...active, phase: 'EXPIRED' }],
      ],
      ['PHASE 110-57600'],
    ],
    [
      'reports AVAILABLE after a second look',
      [
        [0, deleting],
        [100, free],
        [109, free],
        [110, free],
        [200, free],
      ],
      ['AVAILABLE 0-100'],
    ],
    [
      'reports no AVAILABLE that is seen once, whatever "last changed" says',
      [
        [0, active],
        [100, { ...free, ...moved }],
        [105, active],
      ],
      [],
    ],
    [
      'reports no AVAILABLE that is seen once',
      [
        [0, deleting],
        [100, free],
        [110, deleting],
        [120, free],
        [125, deleting],
      ],
      [],
    ],
    [
      'reports REGISTERED after AVAILABLE',
      [
        [0, free],
        [10, free],
        [100, active],
        [110, active],
        [120, active],
      ],
      ['REGISTERED 10-100'],
    ],
    [
      'takes a first look for a lie if the registration is older',
      [
        [0, free],
        [10, active],
        [20, active],
      ],
      [],
    ],
    [
      'takes a verdict alone for no change of the phase',
      [
        [0, deleting],
        [100, { verdict: 'REGISTERED' }],
        [110, { verdict: 'REGISTERED' }],
      ],
      [],
    ],
    [
      'takes lists that are empty at first for a loss, unless the last change moved',
      [
        [0, { ...active, nameservers: [] }],
        [week, active],
        [week + 10, { ...active, ...moved, dnssec: ['1 13 2 AB'] }],
      ],
      ['DNSSEC 10080-10090'],
    ],
    [
      'explains a last change by a difference that was seen without it',
      [
        [0, active],
        [100, omitted],
        [110, omitted],
        [200, { ...other, ...moved }],
      ],
      ['REGISTRAR 0-100'],
    ],
    [
      'compares nothing of a new registration with the old one',
      [
        [0, active],
        [10, free],
        [20, free],
        [30, other],
        [40, other],
        [50, other],
      ],
      ['AVAILABLE 0-10', 'REGISTERED 20-30'],
    ],
    [
      'reports a new phase',
      [
        [0, active],
        [100, deleting],
        [110, deleting],
      ],
      ['PHASE 0-100'],
    ],
    [
      'reports a reservation as PHASE',
      [
        [0, free],
        [100, { verdict: 'RESERVED', phase: null }],
        [110, { verdict: 'RESERVED', phase: null }],
      ],
      ['PHASE 0-100'],
    ],
    [
      'takes a verdict alone for the second look',
      [
        [0, deleting],
        [1, active],
        [100, { verdict: 'REGISTERED', isDelegated: true }],
        [110, active],
      ],
      ['PHASE 0-1'],
    ],
    [
      'takes absent members for unknown',
      [
        [0, active],
        [100, { verdict: 'REGISTERED', phase: 'ACTIVE' }],
        [110, { verdict: 'REGISTERED', phase: 'ACTIVE' }],
      ],
      [],
    ],
    [
      'takes a new member for known',
      [
        [0, { verdict: 'REGISTERED', phase: 'ACTIVE' }],
        [100, active],
        [110, active],
      ],
      [],
    ],
    [
      'lets an empty list wait for a day',
      [
        [0, active],
        [100, { ...active, nameservers: [] }],
        [110, { ...active, nameservers: [] }],
        [100 + days(1), { ...active, nameservers: [] }],
      ],
      ['NAMESERVERS 0-100'],
    ],
    [
      'ignores the spelling of a registrar with the same number',
      [
        [0, active],
        [100, { ...active, registrar: { name: 'OLD REGISTRAR', ianaId: '1' } }],
        [110, { ...active, registrar: { name: 'old registrar' } }],
      ],
      [],
    ],
    [
      'does not compare the records of two servers',
      [
        [0, active],
        [100, { ...other, source: 'whois://b' }],
        [110, { ...other, source: 'whois://b' }],
        [200, active],
      ],
      [],
    ],
    [
      'compares the records of each server with its own',
      [
        [0, active],
        [100, { ...other, source: 'whois://b' }],
        [100 + days(14), { ...other, source: 'whois://b' }],
        [29_999, { ...active, source: 'whois://b' }],
        [30_009, { ...active, source: 'whois://b' }],
      ],
      ['REGISTRAR 20260-29999'],
    ],
    [
      'reports what another server shows alone',
      [
        [0, active],
        [100, server.b],
        [week, { ...server.b, ...renewed }],
        [week + 10, { ...server.b, ...renewed }],
        [days(14), { ...server.b, ...renewed }],
        [days(15), active],
      ],
      ['EXPIRY 100-10080'],
    ],
    [
      'reports once what two servers show in turns, one of them late',
      [
        [0, active],
        [10, server.b],
        [100, { ...active, ...renewed }],
        [110, server.b],
        [120, { ...active, ...renewed }],
        [130, server.b],
        [140, { ...active, ...renewed }],
        [150, { ...server.b, ...renewed }],
        [160, { ...server.b, ...renewed }],
        [170, { ...active, ...renewed }],
      ],
      ['EXPIRY 0-100'],
    ],
    [
      'reports what follows a change that the same server has reported',
      [
        [0, active],
        [100, { ...other, ...moved }],
        [110, server.b],
        [200, { ...active, ...moved }],
        [210, { ...active, ...moved }],
      ],
      ['REGISTRAR 0-100', 'REGISTRAR 100-200'],
    ],
    [
      'reports what follows a change that another server has reported in the same form',
      [
        [0, active],
        [10, server.b],
        [20, { ...server.b, statuses: ['1'] }],
        [30, { ...server.b, statuses: ['1'] }],
        [100, { ...active, statuses: ['2'] }],
        [110, { ...active, statuses: ['2'] }],
        [120, { ...server.b, statuses: ['2'] }],
        [130, { ...server.b, statuses: ['2'] }],
      ],
      ['STATUSES 10-20', 'STATUSES 0-100'],
    ],
    [
      'compares no member of one server with that of another',
      [
        [0, active],
        [100, withoutRegistrar],
        [110, server.b],
        [120, server.b],
      ],
      [],
    ],
    [
      'compares the phases of each server with its own',
      [
        [0, active],
        [10, { ...server.b, phase: 'EXPIRED' }],
        [20, active],
        [30, { ...server.b, phase: 'ON_HOLD' }],
        [40, active],
        [50, { ...server.b, phase: 'ON_HOLD' }],
        [60, active],
      ],
      ['PHASE 10-30'],
    ],
    [
      'believes another server after two weeks that a name was restored',
      [
        [0, deleting],
        [10, server.b],
        [20, server.b],
        [days(14), server.b],
        [days(14) + 10, server.b],
      ],
      ['PHASE 0-20160'],
    ],
    ...['nameservers', 'dnssec', 'statuses'].map((field): Case => [
      `reports that ${field} were added, unless the registry says that nothing has changed`,
      [
        [0, { ...undated, [field]: [] }],
        [week, { ...undated, [field]: ['x'] }],
        [week + 10, { ...undated, [field]: ['x'] }],
      ],
      [`${field.toUpperCase()} 0-10080`],
    ]),
    [
      'reports name servers that are added with the first date of a change',
      [
        [0, { ...undated, nameservers: [] }],
        [week, { ...active, ...moved }],
        [week + 10, { ...active, ...moved }],
      ],
      ['NAMESERVERS 0-10080'],
    ],
    [
      'reports name servers of a name that was not delegated',
      [
        [0, { ...active, nameservers: [], isDelegated: false }],
        [week, active],
        [week + 10, active],
      ],
      ['NAMESERVERS 0-10080'],
    ],
    [
      'compares the verdicts of two servers',
      [
        [0, active],
        [100, { ...deleting, source: 'whois://b' }],
        [110, { ...deleting, source: 'whois://b' }],
      ],
      ['PHASE 0-100'],
    ],
    [
      'reports three days without a verdict once, and the end',
      [
        [0, active],
        [10, undefined],
        [days(3), undefined],
        [10 + days(3), undefined],
        [days(5), undefined],
        [days(6), active],
      ],
      ['WITHOUT_VERDICT 0-10', 'VERDICT_BACK 0-8640'],
    ],
    [
      'reports three intervals without a verdict',
      [
        [0, deleting],
        [days(1), undefined],
        [days(1) + 36 * 60 - 1, undefined],
        [days(1) + 36 * 60, undefined],
      ],
      ['WITHOUT_VERDICT 0-1440'],
    ],
    [
      'reports no failure that ends in time',
      [
        [0, active],
        [10, undefined],
        [days(2), undefined],
        [days(2) + 10, active],
        [days(3), undefined],
        [days(4), active],
      ],
      [],
    ],
    [
      'reports nothing about a name that never had a verdict',
      [
        [0, undefined],
        [days(9), undefined],
        [days(10), active],
      ],
      [],
    ],
    [
      'keeps a difference over a failed second look',
      [
        [0, active],
        [100, other],
        [110, undefined],
        [120, other],
      ],
      ['REGISTRAR 0-100'],
    ],
    [
      'takes no verdict of the zone for a failure of a name without a delegation',
      [
        [0, { ...active, isDelegated: false }],
        [days(1), { isDelegated: false }],
        [days(9), { isDelegated: false }],
      ],
      [],
    ],
  ];
  it.each(cases)('%s', (_what, looks, expected) => {
    expect(differences(looks)).toEqual(expected);
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
