import type { Provenance } from '../domain/answer.ts';

/** Records the progress of an operation, by the keys of its lookups. */
export class LookupProgress {
  /** Names with a verdict. */
  readonly answered = new Set<string>();
  /** Names with a verdict from a source that has no records. */
  readonly withoutRecord = new Set<string>();
  /**
   * Names whose row was PENDING when the time budget ended. Their lookups continue unless the
   * client disconnects before they are sent.
   */
  readonly pending = new Set<string>();
  /** Names whose lookup was sent to a registry and has not failed. */
  readonly sent = new Set<string>();
  /**
   * Names whose lookup was sent, or is pending, for this operation, not for another one that it
   * joined.
   */
  readonly queried = new Set<string>();
  /** Names whose cached answer satisfies the query, so that no registry is queried. */
  readonly stored = new Set<string>();
  readonly #joined = new Set<string>();

  recordSent(name: string, joined: boolean): void {
    this.sent.add(name);
    if (!joined) this.queried.add(name);
  }

  recordFailed(name: string): void {
    this.sent.delete(name);
  }

  recordJoined(name: string): void {
    this.#joined.add(name);
  }

  recordPending(name: string): void {
    this.pending.add(name);
    // Its lookup may be sent after the operation is settled.
    if (!this.#joined.has(name)) this.queried.add(name);
  }
}

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
