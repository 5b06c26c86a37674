import { repeatedly, type Clock } from '../../clock.ts';
import type { StoredAnswer } from '../../domain/answer.ts';
import type { Log } from '../../log.ts';
import type { AnswerStore } from './store.ts';

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/**
 * Maximum age of a cached AVAILABLE, even with a larger `maxAge`: the name may have been
 * registered.
 */
const maxAvailableAgeSeconds = hour;
/** Maximum age of an answer that is returned as stale when the registry fails. */
const maxStaleAgeSeconds = 7 * day;
/** Maximum clock difference between nodes. */
const maxClockSkewMs = 1000;
/** Registrations are often deleted or transferred around their expiry date. */
const expiryWindowSeconds = 7 * day;

/** How long answers are stored, in seconds. */
export const answerRetentionSeconds = 30 * day;

/** What decides how long a stored answer is fresh. */
type FreshnessFacts = Pick<StoredAnswer, 'verdict' | 'checkedAt' | 'expiresAt'>;

/** Returns how long an answer is fresh if the caller sets no `maxAge`, in seconds. */
export function defaultFreshnessSeconds(
  { verdict, expiresAt }: FreshnessFacts,
  now: number,
): number {
  if (verdict === 'AVAILABLE' || verdict === 'REDEMPTION' || verdict === 'PENDING_DELETE')
    return 5 * minute;
  return verdict === 'RESERVED' || now >= expiryWindowStart(expiresAt) ? hour : day;
}

/** Returns when an answer stops being fresh by default, in epoch ms. */
export function freshUntil(stored: FreshnessFacts): number {
  const after = (seconds: number) => stored.checkedAt + seconds * 1000;
  if (stored.verdict !== 'REGISTERED')
    return after(defaultFreshnessSeconds(stored, stored.checkedAt));
  return Math.min(after(day), Math.max(after(hour), expiryWindowStart(stored.expiresAt)));
}

/**
 * Returns whether a stored answer is at most `maxAge` seconds old, or fresh by default if `maxAge`
 * is undefined.
 */
export function isFresh(stored: FreshnessFacts, maxAge: number | undefined, now: number): boolean {
  const allowedSeconds = maxAge ?? defaultFreshnessSeconds(stored, now);
  // With 0, the registry is always queried, even if the answer was stored in the same millisecond.
  return (
    allowedSeconds > 0 &&
    ageSeconds(stored, now) <=
      (stored.verdict === 'AVAILABLE'
        ? Math.min(allowedSeconds, maxAvailableAgeSeconds)
        : allowedSeconds)
  );
}

/**
 * Returns whether a stored answer was checked at or after `since` (epoch ms) and has not expired.
 */
export function isCheckedSince(stored: FreshnessFacts, since: number, now: number): boolean {
  return stored.checkedAt >= since && isFresh(stored, answerRetentionSeconds, now);
}

/**
 * Returns whether a stored answer may be returned as stale when the registry fails and the caller
 * set no `maxAge`. Never true for an available name, or for one that becomes available within days.
 */
export function isUsableStale(stored: FreshnessFacts, now: number): boolean {
  return (
    stored.verdict !== 'AVAILABLE' &&
    stored.verdict !== 'PENDING_DELETE' &&
    ageSeconds(stored, now) <= maxStaleAgeSeconds
  );
}

/** Returns the age of an answer, in seconds. */
export function ageSeconds({ checkedAt }: Pick<FreshnessFacts, 'checkedAt'>, now: number): number {
  // An answer from the future was checked by a node whose clock was ahead: its age is unknown.
  return checkedAt > now + maxClockSkewMs ? Infinity : Math.max(0, now - checkedAt) / 1000;
}

function expiryWindowStart(expiresAt = Infinity): number {
  return expiresAt - expiryWindowSeconds * 1000;
}

const intervalMs = 60 * 60 * 1000;

/** Deletes expired answers and records, now and every hour. Returns a function that stops it. */
export function scheduleExpiry(
  store: Pick<AnswerStore, 'deleteExpired'>,
  recordDays: number,
  clock: Clock,
  log: Log,
): () => void {
  return repeatedly(clock, intervalMs, async () => {
    const now = clock.now();
    try {
      await store.deleteExpired(
        now - answerRetentionSeconds * 1000,
        now - recordDays * 24 * 60 * 60 * 1000,
      );
    } catch (error) {
      log.error({ err: error }, 'Cache expiry failed. It runs again at the next interval.');
    }
  });
}
