import type { Delegation } from './answer.ts';
import type { Verdict } from './verdict.ts';

/** What a registry's own source says about a name. */
export interface RegistryStatement {
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
 * | AVAILABLE | `delegated` or `has_records` | UNKNOWN, contradicted |
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
