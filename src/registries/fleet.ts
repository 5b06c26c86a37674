import type { LaneLimits } from './allowance.ts';

/**
 * What all nodes of a gateway share of the hosts that they ask: how much may be asked of each, and until when one wants to be left alone.
 * A gateway of one node has none.
 */
export interface Fleet {
  /**
   * Says how this node stands with a host, and asks for leave to send more within what the limits allow to all nodes together. One at a time
   * for each host. Rejects when nobody can say.
   */
  turn(origin: string, limits: LaneLimits, stand: Stand): Promise<Leave>;
  /** Calls back when the host told another node to leave it alone, for so many ms; with 0, when there may be leave for those who wait. Returns the way to stop. */
  listen(origin: string, onNews: (closedMs: number) => void): () => void;
  /** How many nodes there were, this one included, when that was last known; at least 1. */
  readonly nodes: number;
}

export interface Stand {
  /** Requests in flight, and leave that is granted and will be used: all of it, not what has changed. It is forgotten unless said every second. */
  readonly held: number;
  /** Leave that was granted and not used; below zero, requests that were sent without while nobody could be asked. */
  readonly unused: number;
  /** How many more would be sent now. */
  readonly wanted: number;
  /** For how long the host told this node to leave it alone, in ms; 0 = it did not. */
  readonly closedMs: number;
}

/** What the fleet says of a host. Times are from now on: clocks differ. */
export interface Leave {
  /** So many may be sent, of those that were wanted. */
  readonly granted: number;
  /** When to ask for more, in ms. */
  readonly waitMs: number;
  /** For how long the host is to be left alone, in ms. */
  readonly closedMs: number;
  /** What is left of the burst. */
  readonly tokensLeft: number;
  /** What is left of the day; null = as much as there is. */
  readonly leftToday: number | null;
}
