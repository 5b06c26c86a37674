import type { Instant } from '../domain/registration.ts';
import type { Facts, Field } from './observation.ts';
import { dayMs, minuteMs } from './schedule.ts';

/** Returns whether a value is a list without entries. */
export function isEmpty(value: Facts[keyof Facts]): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** Returns whether a name is not free to register, as far as its facts say. */
export function isRegistered({ verdict }: Facts): boolean {
  return verdict !== 'AVAILABLE' && verdict !== 'RESERVED';
}

export function standingOf({ verdict, phase }: Facts): Facts {
  return { ...(verdict && { verdict }), ...(phase !== undefined && { phase }) };
}

/** Returns whether the expiry date decides about the phase. */
export function isPhaseOfDate({ verdict, phase }: Facts): boolean {
  return verdict === 'REGISTERED' && /^(ACTIVE|EXPIRING|EXPIRED)$/.test(phase ?? '');
}

/** Returns whether only a verdict is known, which does not tell the phases of registered names apart. */
function isBare({ verdict, phase }: Facts): boolean {
  return verdict === 'REGISTERED' && phase === undefined;
}

/** Returns whether verdicts are equal, and phases as far as they are known. */
export function isSameStanding(a: Facts, b: Facts): boolean {
  if (isBare(a) || isBare(b)) return isRegistered(a) && isRegistered(b);
  const isPhaseKnown = a.phase !== undefined && b.phase !== undefined;
  return a.verdict === b.verdict && (!isPhaseKnown || a.phase === b.phase);
}

export function isSame(field: Field, a: Facts, b: Facts): boolean {
  return field === 'standing' ? isSameStanding(a, b) : isEqual(a[field], b[field]);
}

/** Registrars are equal if their numbers are, and without numbers if their names are. */
export function isEqual(a: Facts[keyof Facts] | Facts, b: Facts[keyof Facts] | Facts): boolean {
  const key = (value: typeof a, isNumbered: boolean) =>
    isRegistrar(value) ? ((isNumbered ? value.ianaId : value.name) ?? '').toLowerCase() : value;
  const isNumbered = [a, b].every((each) => isRegistrar(each) && each.ianaId !== undefined);
  return JSON.stringify(key(a, isNumbered)) === JSON.stringify(key(b, isNumbered));
}

function isRegistrar(value: unknown): value is NonNullable<Facts['registrar']> {
  return typeof value === 'object' && value !== null && ('name' in value || 'ianaId' in value);
}

/**
 * Returns whether a date has moved as much as time has passed, exactly or in whole days: "today", or
 * "in 30 days".
 */
export function isDrift(before: Instant | undefined, after: Instant | undefined, passedMs: number) {
  const moved = Date.parse(after ?? '') - Date.parse(before ?? '');
  if (!(moved > 0)) return false;

  const distance = Math.abs(moved - passedMs);
  const isInDays = moved % dayMs === 0 && distance <= dayMs;
  return isInDays || distance <= Math.min(passedMs / 10, minuteMs);
}
