import type { Registration } from './registration.ts';

/**
 * The status of one name, as its registry proves it. Without a trustworthy answer, there is no
 * verdict.
 */
export type Verdict = 'AVAILABLE' | 'REGISTERED' | 'RESERVED' | 'REDEMPTION' | 'PENDING_DELETE';

/** Returns the verdict for the statuses of a domain object, normalized by `normalizeStatus`. */
export function verdictOfStatuses(statuses: readonly string[]): Verdict {
  if (statuses.includes('redemption period') || statuses.includes('pending restore'))
    return 'REDEMPTION';
  if (statuses.includes('pending delete')) return 'PENDING_DELETE';
  if (statuses.includes('reserved')) return 'RESERVED';

  // Some registries return 200 with the status `free` for an unregistered name.
  const isFree =
    statuses.length > 0 && statuses.every((status) => status === 'free' || status === 'available');
  return isFree ? 'AVAILABLE' : 'REGISTERED';
}

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

/**
 * What the servers of the parent zone say about a name. `delegated`: they delegate it. `absent`: it
 * has no records there. `has_records`: it has records but no delegation, in a zone that returns
 * NXDOMAIN for unregistered names, or is an alias, or the servers have a zone of it. `unverified`: they delegate
 * it, but no control shows that they do not delegate every name.
 */
export type Delegation = 'delegated' | 'absent' | 'has_records' | 'unverified';

/** What a registry's own source says about a name. */
interface RegistryStatement {
  /** Undefined if the lookup failed: UNKNOWN in the table below. */
  readonly verdict: Verdict | undefined;
  /**
   * The source is known for false "not found" answers, so the DNS must confirm AVAILABLE: RDAP
   * servers that IANA does not list, and WHOIS.
   */
  readonly requiresDns: boolean;
  /** The name cannot be registered, but it is unknown whether that is because it is registered. */
  readonly mayBeRegistered?: boolean;
}

/**
 * Which source decides about a name. `registry`: its verdict, or the problem that prevented one.
 * `dns`: REGISTERED, because the parent zone delegates the name. Otherwise UNKNOWN: the two
 * contradict each other (`contradicted`), or the DNS did not confirm a verdict that requires it
 * (`unconfirmed`).
 */
export type Ruling = 'registry' | 'dns' | 'contradicted' | 'unconfirmed';

/**
 * Combines what a registry and the DNS say about a name. `delegation` is undefined if the DNS was
 * not queried or gave no usable answer.
 *
 * | registry | DNS | result |
 * | --- | --- | --- |
 * | AVAILABLE | `absent` | AVAILABLE |
 * | AVAILABLE | `delegated`, `has_records` or `unverified` | UNKNOWN, contradicted |
 * | AVAILABLE, listed by IANA | no usable answer | AVAILABLE |
 * | AVAILABLE, DAS | no usable answer | AVAILABLE, if new controls pass |
 * | AVAILABLE, other sources | no usable answer | UNKNOWN, unconfirmed |
 * | not available, may be registered | `delegated` | REGISTERED |
 * | any other verdict | any | unchanged |
 * | UNKNOWN | `delegated` | REGISTERED |
 * | UNKNOWN | anything else | unchanged |
 */
export function decide(registry: RegistryStatement, delegation: Delegation | undefined): Ruling {
  const isDelegated = delegation === 'delegated';
  if (registry.verdict === undefined || registry.mayBeRegistered)
    return isDelegated ? 'dns' : 'registry';
  if (registry.verdict !== 'AVAILABLE') return 'registry';
  if (delegation === undefined) return registry.requiresDns ? 'unconfirmed' : 'registry';
  return delegation === 'absent' ? 'registry' : 'contradicted';
}
