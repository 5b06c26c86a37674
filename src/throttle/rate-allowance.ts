import type { Clock } from '../clock.ts';
import { DailyQuota } from './daily-quota.ts';
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
