import type { Clock } from '../clock.ts';

const dayMs = 24 * 60 * 60 * 1000;

/**
 * Allows `perDay` requests in any 24 hours. A token bucket would allow twice as many on the first
 * day.
 */
export class DailyQuota {
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
