import type { Registration } from './registration.ts';
import type { Verdict } from './verdict.ts';

/** Where in its life a registration stands (RFC 3915, RFC 5731). */
export type Phase = 'ACTIVE' | 'ON_HOLD' | 'EXPIRING' | 'EXPIRED' | 'REDEMPTION' | 'PENDING_DELETE';

const expiringPeriodMs = 30 * 24 * 60 * 60 * 1000;

/** The phase of a registered name; null for one that nobody holds, or of which nobody said. */
export function phaseOf(
  verdict: Verdict,
  registration: Registration | null,
  now: number,
): Phase | null {
  if (verdict === 'REDEMPTION' || verdict === 'PENDING_DELETE') return verdict;
  if (verdict !== 'REGISTERED' || !registration) return null;
  const remainingMs =
    registration.expiresAt === undefined ? Infinity : Date.parse(registration.expiresAt) - now;
  // In the registry's grace after expiry the name is renewed on paper: its date lies ahead again, and the status tells.
  if (remainingMs <= 0 || registration.statuses.includes('auto renew period')) return 'EXPIRED';
  if (registration.statuses.some((status) => status === 'client hold' || status === 'server hold'))
    return 'ON_HOLD';
  return remainingMs <= expiringPeriodMs ? 'EXPIRING' : 'ACTIVE';
}
