import type { DomainName } from '../domain/domain-name.ts';

/** Of all nodes that share a store, one at a time asks a registry for a name. A gateway of one node needs none: it has its flights. */
export interface Leases {
  /** Takes a name, or says how it stands with it. Rejects when nobody can say. */
  take(name: DomainName, claim: Claim): Promise<Standing>;
  /** Says how it goes with a flight of ours, once a second at least: a lease of which nothing is heard for two seconds is anybody's. Never rejects. */
  note(name: DomainName, flight: number, state: FlightState): void;
  /** Settles when a flight of the name is said to have ended, or after so long. Never rejects. */
  untilNews(name: DomainName, ms: number): Promise<void>;
}

export interface Claim {
  /** Of who asks: 0 is the most urgent. Whoever is more urgent than a flight that waits for its turn need not wait for it. */
  readonly urgency: number;
  /** What was learned until then is no news to the claimer; epoch ms. */
  readonly known: number;
  /** The flight that the claimer waits for. */
  readonly awaited: number | undefined;
}

/** It is ours to ask for; or another node is about it, waiting for its turn or having sent it; or has done so while the claimer waited. */
export type Standing =
  | { readonly state: 'ours' | 'queued' | 'sent'; readonly flight: number }
  /** What was learned is in the store, unless there was a failure. */
  | { readonly state: 'landed'; readonly failure: string | undefined };

/** `dropped`: given up before it was sent. */
export type FlightState =
  { readonly state: 'queued' | 'sent' | 'dropped' } | { readonly state: 'landed'; readonly failure: string | undefined };
