import { isAvailable, type Verdict } from '../domain/verdict.ts';
import type { StoredAnswer } from './store.ts';

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** A stored "free" is never given when older than this, whatever the caller allows: somebody may have bought the name. */
const maxAvailableAgeSeconds = hour;
/** How old an answer may be that stands in for a registry that fails. */
const maxStaleAgeSeconds = 7 * day;
/** By how much the clocks of the nodes may differ. */
const maxClockSkewMs = 1000;
/** Names change hands around their expiry. */
const expiryWindowSeconds = 7 * day;

/** How long answers are kept, in seconds. */
export const answerRetentionSeconds = 30 * day;

/** Seconds for which an answer is fresh when the caller does not say how old it may be. */
export function defaultFreshnessSeconds({ verdict, expiresAt }: StoredAnswer, now: number): number {
  if (verdict === 'AVAILABLE' || verdict === 'REDEMPTION' || verdict === 'PENDING_DELETE')
    return 5 * minute;
  return verdict === 'RESERVED' || now >= expiryWindowStart(expiresAt) ? hour : day;
}

/** When an answer stops being fresh by default, in milliseconds since the epoch. */
export function freshUntil(stored: StoredAnswer): number {
  const after = (seconds: number) => stored.checkedAt + seconds * 1000;
  if (stored.verdict !== 'REGISTERED')
    return after(defaultFreshnessSeconds(stored, stored.checkedAt));
  return Math.min(after(day), Math.max(after(hour), expiryWindowStart(stored.expiresAt)));
}

/** Whether a stored answer will do for a caller who takes one of at most `maxAge` seconds (undefined: what is fresh by default). */
export function isFresh(stored: StoredAnswer, maxAge: number | undefined, now: number): boolean {
  const allowedSeconds = maxAge ?? defaultFreshnessSeconds(stored, now);
  // Zero asks the registry, even for an answer of this very millisecond.
  return (
    allowedSeconds > 0 &&
    ageSeconds(stored, now) <=
      (stored.verdict === 'AVAILABLE'
        ? Math.min(allowedSeconds, maxAvailableAgeSeconds)
        : allowedSeconds)
  );
}

/** Whether a stored answer was learned since then, in milliseconds since the epoch, and is not too old to be given at all. */
export function isCheckedSince(stored: StoredAnswer, since: number, now: number): boolean {
  return stored.checkedAt >= since && isFresh(stored, answerRetentionSeconds, now);
}

/**
 * Whether a stored answer may stand in, marked stale, when the registry fails and the caller set no limit: never a "free", nor what will be
 * free within days.
 */
export function isUsableStale(
  stored: Pick<StoredAnswer, 'checkedAt'> & { readonly verdict: Verdict },
  now: number,
): boolean {
  return (
    isAvailable(stored.verdict) === false &&
    stored.verdict !== 'PENDING_DELETE' &&
    ageSeconds(stored, now) <= maxStaleAgeSeconds
  );
}

/** Seconds since the registry said so. */
export function ageSeconds({ checkedAt }: Pick<StoredAnswer, 'checkedAt'>, now: number): number {
  // An answer from the future was learned by a clock that was ahead: nobody knows how old it is.
  return checkedAt > now + maxClockSkewMs ? Infinity : Math.max(0, now - checkedAt) / 1000;
}

function expiryWindowStart(expiresAt = Infinity): number {
  return expiresAt - expiryWindowSeconds * 1000;
}
