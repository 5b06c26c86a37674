import type { Snapshot } from '../metrics/snapshot.ts';

/** What a worker tells the process that started it. */
export type WorkerMessage =
  | { readonly kind: 'serves'; readonly url: string }
  | { readonly kind: 'refuses'; readonly reason: string }
  /** By itself, after a failure that nobody expected; its last answers are still under way. */
  | { readonly kind: 'ends' }
  | { readonly kind: 'wants figures' }
  | { readonly kind: 'figures'; readonly own: Snapshot };

/** What a worker is told. */
export type PrimaryMessage = { readonly kind: 'wants figures' } | { readonly kind: 'figures'; readonly all: readonly Snapshot[] };
