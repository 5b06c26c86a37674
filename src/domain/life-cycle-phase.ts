import type { Registration } from './registration.ts';
import type { Verdict } from './verdict.ts';

/** The life-cycle phase of a registration (RFC 3915, RFC 5731). */
export type Phase = 'ACTIVE' | 'ON_HOLD' | 'EXPIRING' | 'EXPIRED' | 'REDEMPTION' | 'PENDING_DELETE';

const expiringPeriodMs = 30 * 24 * 60 * 60 * 1000;

/** Returns the phase of a registered name; null if it is unregistered or unknown. */
export function phaseOf(
  verdict: Verdict | undefined,
  registration: Registration | null,
  now: number,
): Phase | null {
  if (verdict === 'REDEMPTION' || verdict === 'PENDING_DELETE') return verdict;
  if (verdict !== 'REGISTERED' || !registration) return null;
  const remainingMs =
    registration.expiresAt === undefined ? Infinity : Date.parse(registration.expiresAt) - now;
  // In the auto-renew grace period, the expiry date is in the future again; only the status shows
  // it (RFC 3915).
  if (remainingMs <= 0 || registration.statuses.includes('auto renew period')) return 'EXPIRED';
  if (registration.statuses.some((status) => status === 'client hold' || status === 'server hold'))
    return 'ON_HOLD';
  return remainingMs <= expiringPeriodMs ? 'EXPIRING' : 'ACTIVE';
}
