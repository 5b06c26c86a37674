import type { Policy } from './policy.ts';
import type { PublishedField } from './registration.ts';
import type { SourceInfo } from './source.ts';
import { type TldCategory, tldTypeOf } from './tld-sets.ts';

/** A TLD, or a longer suffix that has its own registry. */
export interface Tld {
  /** A-label, lower case. */
  readonly label: string;
  readonly policy: Policy;
  /** Which facts of registrations its registry publishes. */
  readonly publishes: Publishes;
  /** Host of its RDAP server; null without one. */
  readonly registryHost: string | null;
  /** Base URL of its RDAP server; null without one. */
  readonly rdapEndpoint: string | null;
  /** The sources that are queried, in order of preference; empty if its names cannot be looked up. */
  readonly sources: readonly SourceInfo[];
  /** Returns the current status of its server; null without one. */
  readonly health: () => HostStatus | null;
}

/** Which facts of registrations a registry publishes. */
export interface Publishes {
  /** From its documents and captured answers; null if that is not known. */
  readonly documented: Readonly<Record<PublishedField, boolean | null>>;
  /** Returns what this process has read in the last 30 days. */
  readonly observed: () => ObservedFields;
}

/** The facts that are stated by the registrations that this process has read. */
export interface ObservedFields {
  readonly registrations: number;
  /** The share of them with the fact, 0 to 1; null without any. */
  readonly shares: Readonly<Record<PublishedField, number | null>>;
}

/** A TLD whose names can be looked up. */
export interface CoveredTld extends Tld {
  readonly type: TldCategory;
}

/** Returns whether a source can prove that a name is available. The DNS alone cannot. */
export function provesAvailable({ sources }: Tld): boolean {
  return sources.some((source) => source.provesAvailable);
}

/** The status of a registry host, as observed by this process. */
export interface HostStatus {
  /** Queued requests. */
  readonly queued: number;
  /** Requests sent and not answered yet. */
  readonly inFlight: number;
  /** The current maximum of `inFlight`, which is lower after the host was busy. */
  readonly maxInFlight: number;
  /** Sustained requests per second; 0 = no limit. */
  readonly rate: number;
  /** Used share of the daily allowance, 0 to 1; null if the host has none. */
  readonly dailyAllowanceUsed: number | null;
  /** End of the back-off that the host requested; epoch ms. */
  readonly backoffUntil: number | null;
  /** The circuit breaker is open: no requests are sent. */
  readonly circuitOpen: boolean;
  /** When requests are sent again, after a back-off or an open circuit breaker; epoch ms. */
  readonly retryAt: number | null;
  /** Median response time of recent requests; null before the first. */
  readonly p50Ms: number | null;
  /** Share of recent requests that failed, 0 to 1; null before the first. */
  readonly errorRate: number | null;
}

/** Maximum share of failed requests, among the last ones, for a host to count as healthy. */
const maxErrorRate = 0.5;

/** Returns whether a host was queried, or has requested a back-off. */
export function isMeasured(status: HostStatus | null): status is HostStatus {
  return status !== null && (status.p50Ms !== null || status.retryAt !== null);
}

/** Returns whether the requests to a host succeed. */
export function isHealthy({ retryAt, errorRate }: HostStatus): boolean {
  return retryAt === null && (errorRate ?? 0) <= maxErrorRate;
}

/**
 * How far the "not found" of a server is trusted for a suffix. `unproven`: it has never been seen to
 * find a name. `unconfirmed`: the last successful check is too old, and the one that is due was
 * inconclusive. `failing`: it does not find names that it must hold.
 */
export interface ServerTrust {
  readonly endpoint: string;
  readonly suffix: string;
  readonly trust: 'proven' | 'unproven' | 'unconfirmed' | 'failing';
}

/** All TLDs, with or without a source. */
export interface Catalogue {
  /** Returns the TLDs in alphabetical order. */
  list(): readonly Tld[];
  /** Returns the TLD with a label. */
  find(label: string): Tld | undefined;
  /** Returns the TLDs whose names can be looked up, in alphabetical order. */
  covered(): readonly CoveredTld[];
  /** Returns the source of the bootstrap document in use. */
  bootstrap(): BootstrapInfo;
  /** Returns whether registries can be reached, as far as this process has observed. */
  isNetworkReachable(): boolean;
}

/** The source of a bootstrap document (RFC 9224). */
export interface BootstrapInfo {
  /**
   * Its URL without the query; `file` for a file, whose path clients must not see; `built-in` for
   * the built-in table.
   */
  readonly source: string;
  /** Its `publication` date, in RFC 3339; null without one. */
  readonly publishedAt: string | null;
}

/**
 * Returns the TLDs whose names can be looked up: not longer suffixes, and not `test`, which is not
 * in the root zone (RFC 6761).
 */
export function coveredTlds(tlds: readonly Tld[]): readonly CoveredTld[] {
  return tlds
    .filter(({ label, sources }) => sources.length > 0 && !label.includes('.') && label !== 'test')
    .map((tld) => ({ ...tld, type: tldTypeOf(tld.label) }));
}
