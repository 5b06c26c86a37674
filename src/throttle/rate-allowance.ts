import type { Clock } from '../clock.ts';
import type { HostLimits } from './host-limits.ts';
import { TokenBucket } from './token-bucket.ts';

/** Limits requests to one host to its rate, burst and daily quota. */
export class RateAllowance {
  readonly #limits: HostLimits;
  readonly #clock: Clock;
  readonly #bucket: TokenBucket;
  readonly #dailyQuota: DailyQuota | undefined;

  constructor(limits: HostLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
    this.#bucket = new TokenBucket(limits, clock);
    this.#dailyQuota =
      limits.perDay === undefined ? undefined : new DailyQuota(limits.perDay, clock);
  }

  /** Takes the allowance for one request. Returns false if none is available. */
  take(): boolean {
    if (this.#dailyQuota && this.#dailyQuota.readyAt(1) > this.#clock.now()) return false;
    if (!this.#bucket.take()) return false;
    this.#dailyQuota?.take();
    return true;
  }

  /** Returns when `requests` more requests are allowed, in epoch ms. */
  readyAt(requests: number): number {
    return Math.max(this.#bucket.readyAt(requests), this.#dailyQuota?.readyAt(requests) ?? 0);
  }

  /** Whether the allowance is unused, so that a new one would allow no more. */
  get isFull(): boolean {
    const { burst, perDay = 0 } = this.#limits;
    return (
      Math.max(this.#bucket.readyAt(burst), this.#dailyQuota?.readyAt(perDay) ?? 0) <=
      this.#clock.now()
    );
  }
}

const dayMs = 24 * 60 * 60 * 1000;

/**
 * Allows `perDay` requests in any 24 hours. A token bucket would allow twice as many on the first
 * day.
 */
class DailyQuota {
  readonly #perDay: number;
  readonly #clock: Clock;
  /** Epoch ms, oldest first. */
  readonly #sentAt: number[] = [];

  constructor(perDay: number, clock: Clock) {
    this.#perDay = perDay;
    this.#clock = clock;
  }

  /** Counts a request, whether it is allowed or not. */
  take(): void {
    this.#sentAt.push(this.#clock.now());
  }

  /** Returns when `requests` more requests are allowed, in epoch ms. */
  readyAt(requests: number): number {
    const now = this.#clock.now();
    while (this.#sentAt[0] !== undefined && this.#sentAt[0] <= now - dayMs) this.#sentAt.shift();
    const remaining = this.#perDay - this.#sentAt.length;
    return requests <= remaining ? now : (this.#sentAt[requests - remaining - 1] ?? now) + dayMs;
  }
}
