import { createHash } from 'node:crypto';
import type { DomainName } from '../domain/names/domain-name.ts';
import type { NameState } from './observation.ts';

/** How soon names are looked at again. */
export interface Pace {
  /** The delay of a second look, and of a look after a failure. */
  readonly secondLookMs: number;
  /** The interval of all looks. Without it, the table has the intervals. */
  readonly intervalMs?: number;
  /** Whether the parent zone can be queried. */
  readonly hasZone: boolean;
}

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** The names of the sandbox change each minute. */
export const sandboxPace: Pace = { secondLookMs: 10_000, intervalMs: 10_000, hasZone: false };

/** Returns the pace of names outside the sandbox. */
export function paceOf(hasZone: boolean): Pace {
  return { secondLookMs: 10 * minuteMs, hasZone };
}

/** How often a name is looked at, in milliseconds. */
interface Intervals {
  readonly record: number;
  /** Absent if the parent zone is not queried alone. */
  readonly zone?: number;
}

const redemptionMs = 30 * dayMs;
const pendingDeleteMs = 5 * dayMs;
const soonMs = 45 * dayMs;

/** Returns the intervals of a name in a state. `docs/watches.md` has the table. */
export function intervalsOf({ facts, since }: NameState, now: number, pace: Pace): Intervals {
  if (pace.intervalMs !== undefined) return { record: pace.intervalMs };

  const { verdict, phase, expiresAt } = facts;
  const age = now - startOfPhase(facts.updatedAt, since);
  if (verdict === 'PENDING_DELETE')
    return { record: Math.abs(age - pendingDeleteMs) <= dayMs ? 15 * minuteMs : 12 * hourMs };
  if (verdict === 'REDEMPTION')
    return { record: age >= redemptionMs - 3 * dayMs ? 6 * hourMs : dayMs };
  if (verdict === 'AVAILABLE') return { record: 12 * hourMs };

  const isSoon = expiresAt !== undefined && Date.parse(expiresAt) - now <= soonMs;
  const isOften = isSoon || phase === 'ON_HOLD' || phase === 'EXPIRED';
  const intervals = isOften
    ? { zone: 12 * hourMs, record: dayMs }
    : { zone: dayMs, record: 7 * dayMs };

  return pace.hasZone ? intervals : { record: intervals.record };
}

/** Returns when redemption or the deletion began: the registry's date, unless it is of another time. */
function startOfPhase(updatedAt: string | undefined, since: number): number {
  const updated = updatedAt === undefined ? since : Date.parse(updatedAt);
  return updated <= since && since - updated < redemptionMs ? updated : since;
}

export function shortestMs({ record, zone = record }: Intervals): number {
  return Math.min(record, zone);
}

/**
 * Returns when a name is looked at again, and when its record is. The looks of different names are
 * spread over each interval by a hash.
 */
export function scheduleOf(
  name: DomainName,
  state: NameState,
  now: number,
  pace: Pace,
): { readonly nextLook: number; readonly recordAt: number } {
  const { failingSince } = state;
  const intervals = intervalsOf(state, now, pace);
  if (failingSince !== undefined) {
    const backOffMs = Math.min((now - failingSince) / 4, shortestMs(intervals));
    const nextLook = now + Math.max(Math.round(backOffMs), pace.secondLookMs);
    // If the parent zone fails twice, the registry is queried.
    const recordAt = now > failingSince ? nextLook : Math.max(state.recordAt, nextLook);
    return { nextLook, recordAt };
  }

  const secondLooks = Object.values(state.candidates).map(({ waitUntil }) => waitUntil);
  const regular = nextTurn(name, now, intervals.record, pace);
  const { gapSince } = state;
  const gapMs = gapSince === undefined ? Infinity : Math.max(now - gapSince, hourMs);
  const complete = Math.min(regular, now + gapMs);
  const planned = state.recordAt <= now ? complete : Math.min(state.recordAt, regular);
  const earliest = now + pace.secondLookMs;
  const recordAt = Math.max(Math.min(planned, startOfWindow(state, now), ...secondLooks), earliest);
  const { zone } = intervals;
  const zoneAt = zone === undefined ? Infinity : nextTurn(name, now, zone, pace);

  return { nextLook: Math.max(Math.min(recordAt, zoneAt), earliest), recordAt };
}

/** Returns when names that are about to be deleted are looked at more often; Infinity for others. */
function startOfWindow({ facts, since }: NameState, now: number): number {
  if (facts.verdict !== 'PENDING_DELETE') return Infinity;
  const start = startOfPhase(facts.updatedAt, since) + pendingDeleteMs - dayMs;
  return start > now ? start : Infinity;
}

function nextTurn(name: DomainName, now: number, intervalMs: number, pace: Pace): number {
  if (pace.intervalMs !== undefined) return now + intervalMs;
  const offset = createHash('sha256').update(name).digest().readUIntBE(0, 6);
  return now + intervalMs - ((((now - offset) % intervalMs) + intervalMs) % intervalMs);
}
