import type { Clock } from '../clock.ts';
import { hourMs } from './schedule.ts';
import { getOrInsert } from '../shared/memoize.ts';

/** A `sample` is looked at when no watch waits. */
type LookKind = 'watch' | 'sample';

interface Host {
  /** Looks that may be made now. */
  tokens: number;
  filledAt: number;
  /** The times that were given to the last look of each kind that has to wait. */
  readonly plannedAt: Record<LookKind, number>;
  /** How much longer the intervals are after a 429. */
  factor: number;
  slowedAt: number;
}

const maxFactor = 64;
/** Due names are read so often, so the looks of so long may be made at once. */
const burstMs = 10_000;

/** Spreads the looks at the host of a registry. Times are of the monotonic clock. */
export class HostSlots {
  readonly #intervalOf: (endpoint: string) => number;
  readonly #clock: Clock;
  readonly #hosts = new Map<string, Host>();

  constructor(intervalOf: (endpoint: string) => number, clock: Clock) {
    this.#intervalOf = intervalOf;
    this.#clock = clock;
  }

  /** Returns when a look may be made, in epoch ms: now, or at a time that no other look is given. */
  take(endpoint: string, kind: LookKind = 'watch'): number {
    const now = this.#clock.elapsed();
    const host = this.#hostOf(endpoint, now);
    const intervalMs = this.#intervalOf(endpoint) * host.factor;
    const burst = Math.max(burstMs / intervalMs, 1);
    host.tokens = Math.min(host.tokens + (now - host.filledAt) / intervalMs, burst);
    host.filledAt = now;

    const { plannedAt } = host;
    // A watch is looked at up to a round after its time.
    const givesWay = kind === 'sample' && plannedAt.watch + burstMs > now;
    if (intervalMs === 0 || (host.tokens >= 1 && !givesWay)) {
      host.tokens -= 1;
      return this.#clock.now();
    }

    plannedAt[kind] = Math.max(plannedAt[kind], now) + intervalMs;
    return this.#clock.now() + plannedAt[kind] - now;
  }

  /** Doubles the intervals: the host has returned 429. An hour without one halves them. */
  slowDown(endpoint: string): void {
    const now = this.#clock.elapsed();
    const host = this.#hostOf(endpoint, now);
    host.factor = Math.min(host.factor * 2, maxFactor);
    host.slowedAt = now;
  }

  #hostOf(endpoint: string, now: number): Host {
    const key = new URL(endpoint).host;
    const host = getOrInsert(this.#hosts, key, () => ({
      tokens: Infinity,
      filledAt: now,
      plannedAt: { watch: -Infinity, sample: -Infinity },
      factor: 1,
      slowedAt: now,
    }));
    const hours = Math.floor((now - host.slowedAt) / hourMs);
    host.factor = Math.max(host.factor / 2 ** hours, 1);
    host.slowedAt += hours * hourMs;

    return host;
  }
}
