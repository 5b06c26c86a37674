/** One TLD, or longer suffix with a registry of its own. */
export interface Tld {
  /** A-label, lower case. */
  readonly label: string;
  /** Host of its RDAP server; null where none is known. */
  readonly registryHost: string | null;
  /** Now; null where no server is known. */
  readonly health: () => LaneHealth | null;
}

/** How a registry host is doing, as far as this process has asked it. */
export interface LaneHealth {
  /** Questions that wait for their turn. */
  readonly queued: number;
  /** Questions that were sent and are not answered yet. */
  readonly inFlight: number;
  /** Until when the host asked to be left alone; epoch ms. */
  readonly closedUntil: number | null;
  /** It does nothing but fail, and is not asked. */
  readonly broken: boolean;
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
}
