import type { Clock } from '../clock.ts';

/** The registration, last change and expiry dates of a name. */
export interface Lifetime {
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly expiresAt: string;
}

const dayMs = 86_400_000;

/**
 * Returns the dates of an active registration. It expires at the next anniversary that is more than
 * 60 days ahead, so that examples in the documentation never expire. It was renewed 70 days before
 * the current term, which is always in the past.
 */
export function currentLifetime(seed: number, clock: Clock): Lifetime {
  const now = clock.now();
  const created = Date.UTC(
    1998 + (seed % 20),
    seed % 12,
    1 + (seed % 28),
    seed % 24,
    seed % 60,
    (seed >>> 8) % 60,
  );
  let expires = withYear(created, new Date(now).getUTCFullYear());
  while (expires <= now + 60 * dayMs) expires = addYears(expires, 1);
  return lifetime(created, addYears(expires, -1) - 70 * dayMs, expires);
}

/** Returns the dates of an expired registration, which last changed after its expiry. */
export function lapsedLifetime(
  seed: number,
  clock: Clock,
  expiredDaysAgo: number,
  changedDaysAgo: number,
): Lifetime {
  const today = Math.floor(clock.now() / dayMs) * dayMs;
  const expired = today - expiredDaysAgo * dayMs;
  return lifetime(addYears(expired, -1 - (seed % 15)), today - changedDaysAgo * dayMs, expired);
}

function lifetime(created: number, updated: number, expires: number): Lifetime {
  return { createdAt: rfc3339(created), updatedAt: rfc3339(updated), expiresAt: rfc3339(expires) };
}

function addYears(instant: number, years: number): number {
  return withYear(instant, new Date(instant).getUTCFullYear() + years);
}

function withYear(instant: number, year: number): number {
  return new Date(instant).setUTCFullYear(year);
}

/** Formats an instant like most registries, without a fraction. */
export function rfc3339(instant: number): string {
  return new Date(instant).toISOString().replace(/\.\d+Z$/, 'Z');
}
