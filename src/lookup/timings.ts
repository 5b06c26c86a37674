import type { Provenance } from '../domain/source.ts';

/** Where the time of an operation went, in milliseconds: the slowest of its names counts. */
export interface Timings {
  /** Reading what is remembered. */
  cache: number;
  /** Waiting for the registries' turns. */
  queue: number;
  /** Asking the registries. */
  registry: number;
}

/** Adds what an answer took. */
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

/** The times as a header (W3C Server Timing). */
export function serverTiming({ cache, queue, registry }: Timings): string {
  return `cache;dur=${rounded(cache)}, queue;dur=${rounded(queue)}, registry;dur=${rounded(registry)}`;
}

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10;
}
