import type { Clock } from '../clock.ts';
import { DailyQuota } from './daily-quota.ts';
import type { HostLimits } from './host-limits.ts';
import { TokenBucket } from './token-bucket.ts';

/** Allows requests to one host within its rate, its burst and its daily quota. */
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

  /** Takes the allowance for one request if there is any. */
  take(): boolean {
    if (this.#dailyQuota && this.#dailyQuota.readyAt(1) > this.#clock.now()) return false;
    if (!this.#bucket.take()) return false;
    this.#dailyQuota?.take();
    return true;
  }

  /** Returns when so many more requests are allowed, in epoch ms. */
  readyAt(requests: number): number {
    return Math.max(this.#bucket.readyAt(requests), this.#dailyQuota?.readyAt(requests) ?? 0);
  }

  /** Whether nothing of it is used: a new one would allow no more. */
  get isFull(): boolean {
    const { burst, perDay = 0 } = this.#limits;
    return (
      Math.max(this.#bucket.readyAt(burst), this.#dailyQuota?.readyAt(perDay) ?? 0) <=
      this.#clock.now()
    );
  }
}
