import type { Provenance } from '../domain/answer.ts';

/** Time spent by an operation, in milliseconds; its slowest name counts. */
export interface Timings {
  /** Reading the cache. */
  cache: number;
  /** Waiting in host queues. */
  queue: number;
  /** Querying registries. */
  registry: number;
}

/** Adds the times of an answer. */
export function addTimings(timings: Timings, { attempts }: Provenance): void {
  let queue = 0;
  let registry = 0;
  for (const { phase, ms } of attempts) {
    if (phase === 'queue') queue += ms;
    else registry += ms;
  }
  timings.queue = Math.max(timings.queue, queue);
  timings.registry = Math.max(timings.registry, registry);
}

/** Formats the times as a `Server-Timing` header. */
export function serverTiming({ cache, queue, registry }: Timings): string {
  return `cache;dur=${rounded(cache)}, queue;dur=${rounded(queue)}, registry;dur=${rounded(registry)}`;
}

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10;
}
