import { LRUCache } from 'lru-cache';
import { repeatedly, type Clock } from '../../clock.ts';
import type { Answer, StoredAnswer } from '../../domain/answer.ts';
import type { ProblemCode } from '../../domain/problems.ts';
import type { Verdict } from '../../domain/verdict.ts';
import type { Log } from '../../log.ts';
import { atMostFor } from '../../shared/lru.ts';
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
 * Returns whether a stored answer was looked up at or after `since` (epoch ms) and has not expired. An
 * intermediate cache may have held it from before.
 */
export function isLookedUpSince(stored: StoredAnswer, since: number, now: number): boolean {
  const sources = stored.evidence?.sources ?? [];
  const lookedUpAt = Math.max(stored.checkedAt, ...sources.map(({ answeredAt = 0 }) => answeredAt));
  return lookedUpAt >= since && isFresh(stored, answerRetentionSeconds, now);
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
  store: Pick<AnswerStore, 'deleteExpired' | 'deleteUndated'>,
  recordDays: number,
  clock: Clock,
  log: Log,
): () => void {
  return repeatedly(clock, intervalMs, async () => {
    const now = clock.now();
    try {
      await Promise.all([
        store.deleteUndated?.(now - maxAvailableAgeSeconds * 1000, now + maxClockSkewMs),
        store.deleteExpired(
          now - answerRetentionSeconds * 1000,
          now - recordDays * 24 * 60 * 60 * 1000,
        ),
      ]);
    } catch (error) {
      log.error({ err: error }, 'Cache expiry failed. It runs again at the next interval.');
    }
  });
}

/** The problems of names about which a source has sent something that does not prove AVAILABLE. */
const doubts: ReadonlySet<string> = new Set<ProblemCode>([
  'contradicted',
  'untrusted_answer',
  'whois_unclear',
]);

/** A stored AVAILABLE is not returned for longer. */
const doubtMs = 60 * 60 * 1000;
const maxDoubts = 10_000;

/**
 * The names whose latest lookup did not confirm that they are available. What is stored of them may be
 * an earlier AVAILABLE, because failures and records in another language are not stored. After the
 * clock was set back, all earlier answers are in doubt, because their age is not known.
 */
export class DoubtedNames {
  readonly #clock: Clock;
  /** When their sources answered, in epoch ms. */
  readonly #names: LRUCache<string, number>;
  /** When the sources of AVAILABLE names answered since the clock was set back. */
  readonly #since: LRUCache<string, number>;
  /** How far the clock is ahead of the time that has elapsed. */
  #offset: number;
  /** Until when answers of before may seem to be less than an hour old, in epoch ms. */
  #doubtsEarlierUntil = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#names = new LRUCache(atMostFor(maxDoubts, doubtMs, clock));
    this.#since = new LRUCache(atMostFor(maxDoubts, doubtMs, clock));
    this.#offset = clock.now() - clock.elapsed();
  }

  /** Returns whether a stored AVAILABLE is in doubt. */
  has({ name, checkedAt }: Pick<StoredAnswer, 'name' | 'checkedAt'>): boolean {
    const isOfBefore = this.#doubtsEarlier() && this.#since.peek(name) !== checkedAt;
    return isOfBefore || this.#names.has(name);
  }

  /** Records the answer of a new lookup. One without an answer of a source changes nothing. */
  record(
    name: string,
    verdict: Verdict | undefined,
    { problem, provenance: { sentAt = 0, checkedAt = sentAt } }: Answer<unknown>,
  ): void {
    if (verdict === 'AVAILABLE') {
      if (this.#doubtsEarlier() && checkedAt <= this.#clock.now()) this.#since.set(name, checkedAt);
      if (checkedAt >= (this.#names.peek(name) ?? Infinity)) this.#names.delete(name);
    } else if (verdict || doubts.has(problem?.code ?? '')) this.#names.set(name, checkedAt);
  }

  /** Returns whether the clock was set back not long ago. */
  #doubtsEarlier(): boolean {
    const now = this.#clock.now();
    const setBackMs = this.#offset - (now - this.#clock.elapsed());
    if (setBackMs > maxClockSkewMs) {
      this.#since.clear();
      this.#doubtsEarlierUntil = now + setBackMs + doubtMs;
    }

    if (setBackMs < 0 || setBackMs > maxClockSkewMs) this.#offset -= setBackMs;
    return now < this.#doubtsEarlierUntil;
  }
}
