import type { Clock } from '../../clock.ts';
import type { Backoffs } from './backoffs.ts';
import type { DailyUsage } from './daily-usage.ts';
import type { HostLimits } from './host-limits.ts';
import { HostQueue } from './host-queue.ts';

interface HostQueuesOptions {
  readonly limitsOf: (url: URL) => HostLimits;
  readonly clock: Clock;
  readonly backoffs: Backoffs;
  readonly dailyUsage: DailyUsage;
}

/** Longer than any back-off, open circuit or retry budget lasts. */
const maxIdleMs = 10 * 60_000;
const disposeIntervalMs = 60_000;

/** Returns scheme, host and port: `URL.origin` is empty for `das:`, `whois:` and `dns:`. */
function originOf({ protocol, host }: URL): string {
  return `${protocol}//${host}`;
}

/**
 * Holds one queue per host (scheme, host and port), for all TLDs that it serves and all links to
 * it.
 */
export class HostQueues {
  readonly #options: HostQueuesOptions;
  readonly #registries = new Map<string, HostQueue>();
  readonly #ephemeral = new Map<string, HostQueue>();
  #disposedAt: number;

  constructor(options: HostQueuesOptions) {
    this.#options = options;
    this.#disposedAt = options.clock.elapsed();
    options.backoffs.setListener((origin, until) => this.#find(origin)?.backOff(until));
  }

  /** Returns the queue of a registry's host. It is never disposed of. */
  registryQueue(baseUrl: string): HostQueue {
    const url = new URL(baseUrl);
    const origin = originOf(url);
    const queue = this.#find(origin) ?? this.#open(url);
    this.#ephemeral.delete(origin);
    this.#registries.set(origin, queue);
    return queue;
  }

  /**
   * Returns the queue of a host that a response links or redirects to. The number of such hosts is
   * unbounded, so a queue is disposed of ten minutes after its last use: do not hold a reference.
   */
  ephemeralQueue(hostUrl: string): HostQueue {
    const url = new URL(hostUrl);
    const origin = originOf(url);
    const existing = this.#find(origin);
    if (existing) return existing;

    this.#disposeIdle();
    const queue = this.#open(url);
    this.#ephemeral.set(origin, queue);

    return queue;
  }

  #find(origin: string): HostQueue | undefined {
    return this.#registries.get(origin) ?? this.#ephemeral.get(origin);
  }

  #open(url: URL): HostQueue {
    const { limitsOf, clock, backoffs, dailyUsage } = this.#options;
    const origin = originOf(url);
    const limits = limitsOf(url);
    const { perDay, watch } = limits;

    return new HostQueue({
      host: url.host,
      limits,
      clock,
      dailyAllowance:
        perDay === undefined ? undefined : dailyUsage.allowanceOf(origin, perDay, watch?.share),
      backoffUntil: backoffs.until(origin),
      onBackoff: (until) => backoffs.add(origin, until),
    });
  }

  #disposeIdle(): void {
    const now = this.#options.clock.elapsed();
    if (now - this.#disposedAt < disposeIntervalMs) return;
    this.#disposedAt = now;
    for (const [origin, queue] of this.#ephemeral)
      if (queue.idleMs() >= maxIdleMs) this.#ephemeral.delete(origin);
  }
}
