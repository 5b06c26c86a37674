import type { Instant, Registration } from './registration.ts';
import type { Verdict } from './verdict.ts';

/** What happens to a registration, in the order of its life. */
export const timelineEvents = [
  'REGISTERED',
  'CHANGED',
  'EXPIRES',
  'GRACE',
  'REDEMPTION',
  'PENDING_DELETE',
  'MAY_BECOME_AVAILABLE',
] as const;
type TimelineEvent = (typeof timelineEvents)[number];

/**
 * REGISTRY: a date that the registry sent, or a phase that its status states. RULE: a period that
 * the registry or ICANN documents, from a date of the registry. ESTIMATE: between two ends.
 */
export const certainties = ['REGISTRY', 'RULE', 'ESTIMATE'] as const;
/** A date or a phase in the life of a registration. A date has equal ends. */
export interface TimelineEntry {
  readonly event: TimelineEvent;
  /** The earliest beginning; null if it is not known. */
  readonly from: Instant | null;
  /** The latest end; null if it is not known. */
  readonly to: Instant | null;
  readonly source: string;
  readonly certainty: (typeof certainties)[number];
}

/** The documented periods of a TLD after the expiry, in days; absent if not documented. */
export interface LifeCycle {
  /** Period in which the registrant can renew late. */
  readonly grace?: number;
  /** When the registration is deleted: the earliest and the latest day after the expiry. */
  readonly deletion?: readonly number[];
  /** Period from the deletion in which only the former registrant can restore the name. */
  readonly redemption?: number;
  /** Period after it in which nobody can, before the name becomes available. */
  readonly pendingDelete?: number;
  /** Period from the deletion until the name becomes available. */
  readonly release?: number;
  readonly source: string;
  /** The registry or ICANN documents the periods. */
  readonly isRule?: boolean;
}

/** An expiry date that the operator knows better than the registry. */
export interface KnownExpiry {
  readonly date: Instant;
  /** Empty without a note. */
  readonly note: string;
}

type FoundRegistration = Pick<
  Registration,
  'createdAt' | 'updatedAt' | 'expiresAt' | 'whoisExpiresAt' | 'statuses'
>;

/** What a lookup found out about a name. */
export interface FoundName {
  readonly verdict: Verdict | undefined;
  readonly registration: FoundRegistration | null;
  /** The protocol of the registration. */
  readonly source: string | null;
  /** When the source answered; epoch ms. */
  readonly checkedAt: number | undefined;
}

/** Knows the life of registrations. */
export interface Timelines {
  /** Returns `timelineOf` a name under a suffix. */
  of(name: string, suffix: string, found: FoundName): readonly TimelineEntry[] | null;
}

/** Two times, in epoch ms. */
type Span = readonly [from: number, to: number];

/**
 * Returns the life of a registration: the dates of the registry and of the operator, and the phases
 * that follow from them by the periods of the TLD. A phase that the answer rules out is absent. Null
 * if the name is not registered, or if nothing is known about the registration.
 */
export function timelineOf(
  found: FoundName,
  cycle: LifeCycle | undefined,
  known: KnownExpiry | undefined,
): readonly TimelineEntry[] | null {
  const { registration, checkedAt } = found;
  if (!isRegistered(found) || (!registration && !known)) return null;

  const stated = statedPhase(found);
  const isOfRegistry = known === undefined;
  const ofRegistry = registration?.expiresAt ?? registration?.whoisExpiresAt;
  const expiry = countableTime(known?.date ?? ofRegistry);
  const expected =
    cycle && checkedAt !== undefined ? expectedPhases(found, cycle, checkedAt, expiry) : [];
  const source = `${cycle?.source}${isOfRegistry ? '' : ', from the date of the operator'}`;

  const entries = [
    ...registryEntries(found),
    ...(known ? [operatorEntry(known)] : []),
    ...expected.map(([event, span]) => {
      const [from, to] = span.map((ms) => new Date(ms).toISOString()) as [Instant, Instant];
      const isRule = event === 'GRACE' && !stated && isOfRegistry && cycle?.isRule === true;
      return { event, from, to, source, certainty: isRule ? 'RULE' : 'ESTIMATE' } as const;
    }),
  ];
  const order = ({ event }: TimelineEntry) => timelineEvents.indexOf(event);

  return entries.toSorted((a, b) => order(a) - order(b));
}

function isRegistered({ verdict }: FoundName): boolean {
  return verdict === 'REGISTERED' || verdict === 'REDEMPTION' || verdict === 'PENDING_DELETE';
}

/** Returns the phase after the expiry that the statuses of a registered name state (RFC 3915). */
function statedPhase({ verdict, registration }: FoundName) {
  if (verdict === 'REDEMPTION' || verdict === 'PENDING_DELETE') return verdict;
  return registration?.statuses.includes('auto renew period') ? 'GRACE' : undefined;
}

/** Returns what the registry sent. */
function registryEntries(found: FoundName): readonly TimelineEntry[] {
  const { registration, source } = found;
  if (!registration) return [];

  const entry = (event: TimelineEvent, date: Instant | null): TimelineEntry => ({
    event,
    from: date,
    to: date,
    source: source ?? '',
    certainty: 'REGISTRY',
  });

  const { createdAt, updatedAt, expiresAt, whoisExpiresAt } = registration;
  const phase = statedPhase(found);
  const whoisEntries = whoisExpiresAt
    ? [{ ...entry('EXPIRES', whoisExpiresAt), source: 'whois' }]
    : [];

  return [
    ...(createdAt === undefined ? [] : [entry('REGISTERED', createdAt)]),
    ...(updatedAt === undefined ? [] : [entry('CHANGED', updatedAt)]),
    ...(expiresAt === undefined ? whoisEntries : [entry('EXPIRES', expiresAt)]),
    ...(phase ? [entry(phase, null)] : []),
  ];
}

function operatorEntry({ date, note }: KnownExpiry): TimelineEntry {
  const source = `operator${note && `: ${note}`}`;
  return { event: 'EXPIRES', from: date, to: date, source, certainty: 'ESTIMATE' };
}

/** Returns the time of a date, in epoch ms; undefined if it only means "never". */
function countableTime(date: Instant | undefined): number | undefined {
  const time = date === undefined ? NaN : Date.parse(date);
  return time >= 0 && time < maxTime ? time : undefined;
}

/** Later dates would exceed the years of RFC 3339 when days are added. */
const maxTime = Date.UTC(9998);
const dayMs = 24 * 60 * 60 * 1000;

/** Returns the phases that the registry does not state, with their earliest and latest times. */
function expectedPhases(
  found: FoundName,
  cycle: LifeCycle,
  seenAt: number,
  expiry: number | undefined,
): readonly (readonly [TimelineEvent, Span])[] {
  const { redemption = 0, pendingDelete = 0, release } = cycle;
  const stated = statedPhase(found);
  const deletion = deletionOf(found, cycle, seenAt, expiry);
  const phases: [TimelineEvent, Span][] = [];

  const grace = expiry === undefined ? undefined : graceOf(stated, cycle, seenAt, expiry, deletion);
  if (grace) phases.push(['GRACE', grace]);
  if (deletion && redemption > 0) phases.push(['REDEMPTION', later(deletion, [0, redemption])]);
  if (deletion && release !== undefined && pendingDelete > 0)
    phases.push(['PENDING_DELETE', later(deletion, [release - pendingDelete, release])]);
  if (deletion && release !== undefined)
    phases.push(['MAY_BECOME_AVAILABLE', later(deletion, [release, release])]);

  return phases.filter(([event]) => event !== stated);
}

/** Returns the grace period: the longest one, or until the deletion. Undefined if there is none. */
function graceOf(
  stated: ReturnType<typeof statedPhase>,
  { grace = 0 }: LifeCycle,
  seenAt: number,
  expiry: number,
  deletion: Span | undefined,
): Span | undefined {
  const end = expiry + grace * dayMs;
  if (stated === undefined) return grace > 0 && seenAt <= end ? [expiry, end] : undefined;
  const to = Math.min(end, deletion?.[1] ?? 0);
  return to > expiry ? [expiry, to] : undefined;
}

/**
 * Returns when a registration was deleted or will be: by its expiry date, within what its phase
 * allows. A phase that contradicts the date counts alone, because a registration can be deleted at
 * any time. Undefined if the documented periods do not suffice.
 */
function deletionOf(
  found: FoundName,
  cycle: LifeCycle,
  seenAt: number,
  expiry: number | undefined,
): Span | undefined {
  const days = deletionInPhase(found, cycle);
  if (!days) return undefined;

  const seen = later([seenAt, seenAt], days);
  const [first = NaN, last = NaN] = cycle.deletion ?? [];
  const documented = later([expiry ?? NaN, expiry ?? NaN], [first, last]);

  const from = Math.max(seen[0], documented[0]);
  const to = Math.min(seen[1], documented[1]);
  if (from <= to) return [from, to];

  return seen[1] === Infinity ? undefined : seen;
}

/** Returns the days between an answer and the deletion; undefined if they are not known. */
function deletionInPhase(found: FoundName, cycle: LifeCycle): Span | undefined {
  const { grace, redemption, pendingDelete, release } = cycle;
  const stated = statedPhase(found);
  if (stated === 'GRACE') return grace ? [0, grace] : undefined;

  // A registration that is being restored is not deleted (RFC 3915 section 3.1).
  if (stated === 'REDEMPTION')
    return redemption && !found.registration?.statuses.includes('pending restore')
      ? [-redemption, 0]
      : undefined;
  if (stated === 'PENDING_DELETE')
    return pendingDelete && release ? [-release, pendingDelete - release] : undefined;

  // Registries with a pending delete period state the phases; others may not.
  return [pendingDelete ? 0 : -(release ?? redemption ?? 0), Infinity];
}

function later([from, to]: Span, [first, last]: Span): Span {
  return [from + first * dayMs, to + last * dayMs];
}
