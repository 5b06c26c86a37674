/** One TLD, or longer suffix with a registry of its own. */
export interface Tld {
  /** A-label, lower case. */
  readonly label: string;
  /** Host of its RDAP server; null where none is known. */
  readonly registryHost: string | null;
  /** Base URL of its RDAP server; null where none is known. */
  readonly rdapEndpoint: string | null;
  /** Now; null where no server is known. */
  readonly health: () => HostStatus | null;
}

/** A TLD whose names can be looked up. */
export interface CoveredTld extends Tld {
  readonly type: TldType;
  readonly registryHost: string;
  readonly rdapEndpoint: string;
}

/** `cctld`: of a country or territory; `gtld`: every other TLD. */
export type TldType = 'gtld' | 'cctld';

/** How a registry host is doing, as far as this process has asked it. */
export interface HostStatus {
  /** Questions that wait for their turn. */
  readonly queued: number;
  /** Questions that were sent and are not answered yet. */
  readonly inFlight: number;
  /** Until when the host asked to be left alone; epoch ms. */
  readonly backoffUntil: number | null;
  /** It does nothing but fail, and is not asked. */
  readonly circuitOpen: boolean;
  /** Until when the host is left alone, for either reason; epoch ms. */
  readonly retryAt: number | null;
  /** Of the last exchanges; null before the first. */
  readonly p50Ms: number | null;
  /** Share of the last exchanges that failed, 0 to 1; null before the first. */
  readonly errorRate: number | null;
}

/** All TLDs that are known, with or without a registry, in alphabetical order. */
export interface Catalogue {
  list(): readonly Tld[];
  /** Returns the TLD with a label. */
  find(label: string): Tld | undefined;
  /** Returns the TLDs whose names can be looked up, in alphabetical order. */
  covered(): readonly CoveredTld[];
  /** Returns where the list of registries that is in use comes from. */
  bootstrap(): BootstrapInfo;
}

/** Where a list of registries (RFC 9224) comes from. */
export interface BootstrapInfo {
  /** Its URL without the query; `file` for a file, whose path is not for clients; `built-in` for the gateway's own list. */
  readonly source: string;
  /** When it was published, as it says itself, in RFC 3339; null if it does not. */
  readonly publishedAt: string | null;
}
