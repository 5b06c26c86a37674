import type { Clock } from '../clock.ts';
import { hourMs } from './schedule.ts';

interface Host {
  /** Looks that may be made now. */
  tokens: number;
  filledAt: number;
  /** The time that was given to the last look that has to wait. */
  plannedAt: number;
  /** How much longer the intervals are after a 429. */
  factor: number;
  slowedAt: number;
}

const maxFactor = 64;
/** Due names are read so often, so the looks of so long may be made at once. */
const burstMs = 10_000;

/** Spreads the looks at the host of a registry. Times are in epoch ms. */
export class HostSlots {
  readonly #intervalOf: (endpoint: string) => number;
  readonly #clock: Clock;
  readonly #hosts = new Map<string, Host>();

  constructor(intervalOf: (endpoint: string) => number, clock: Clock) {
    this.#intervalOf = intervalOf;
    this.#clock = clock;
  }

  /** Returns when a look may be made: now, or at a time that no other look is given. */
  take(endpoint: string): number {
    const now = this.#clock.now();
    const host = this.#hostOf(endpoint, now);
    const intervalMs = this.#intervalOf(endpoint) * host.factor;
    const burst = Math.max(burstMs / intervalMs, 1);
    host.tokens = Math.min(host.tokens + (now - host.filledAt) / intervalMs, burst);
    host.filledAt = now;
    if (intervalMs === 0 || host.tokens >= 1) {
      host.tokens -= 1;
      return now;
    }
    return (host.plannedAt = Math.max(host.plannedAt, now) + intervalMs);
  }

  /** Doubles the intervals: the host has returned 429. An hour without one halves them. */
  slowDown(endpoint: string): void {
    const now = this.#clock.now();
    const host = this.#hostOf(endpoint, now);
    host.factor = Math.min(host.factor * 2, maxFactor);
    host.slowedAt = now;
  }

  #hostOf(endpoint: string, now: number): Host {
    const key = new URL(endpoint).host;
    const host = this.#hosts.get(key) ?? {
      tokens: Infinity,
      filledAt: now,
      plannedAt: 0,
      factor: 1,
      slowedAt: now,
    };
    const hours = Math.floor((now - host.slowedAt) / hourMs);
    host.factor = Math.max(host.factor / 2 ** Math.max(hours, 0), 1);
    host.slowedAt += Math.max(hours, 0) * hourMs;
    this.#hosts.set(key, host);
    return host;
  }
}
