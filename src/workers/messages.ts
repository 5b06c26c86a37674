import type { Snapshot } from '../metrics/snapshot.ts';

/** Where callers reach a worker, and the port that it shares with the others. */
export interface Listening {
  readonly url: string;
  readonly port: number;
}

/** What a worker tells the process that started it. */
export type WorkerMessage =
  | ({ readonly kind: 'serves' } & Listening)
  | { readonly kind: 'refuses'; readonly reason: string }
  /** By itself, after a failure that nobody expected; its last answers are still under way. */
  | { readonly kind: 'ends' }
  | { readonly kind: 'wants figures' }
  | { readonly kind: 'figures'; readonly own: Snapshot };

/** What a worker is told. */
export type PrimaryMessage = { readonly kind: 'wants figures' } | { readonly kind: 'figures'; readonly all: readonly Snapshot[] };
