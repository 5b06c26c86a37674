import type { Clock } from '../../clock.ts';

/**
 * A token bucket that refills at `rate` tokens per second, up to `burst`. A rate of 0 sets no
 * limit.
 */
export class TokenBucket {
  readonly #rate: number;
  readonly #burst: number;
  readonly #clock: Clock;
  #tokens: number;
  #filledAt: number;

  constructor({ rate, burst }: { readonly rate: number; readonly burst: number }, clock: Clock) {
    this.#rate = rate;
    this.#burst = rate === 0 ? Infinity : burst;
    this.#clock = clock;
    this.#tokens = this.#burst;
    this.#filledAt = clock.now();
  }

  get isFull(): boolean {
    this.#fill();
    return this.#tokens >= this.#burst;
  }

  /** Takes a token. Returns false if there is none. */
  take(): boolean {
    this.#fill();
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /**
   * Returns when `tokens` tokens can have been taken, in epoch ms, if no others are taken. More
   * than `burst` are computed as if the bucket could hold them.
   */
  readyAt(tokens: number): number {
    this.#fill();
    if (tokens <= this.#tokens) return this.#filledAt;
    return this.#filledAt + Math.ceil(((tokens - this.#tokens) / this.#rate) * 1000);
  }

  #fill(): void {
    const now = this.#clock.now();
    this.#tokens = Math.min(
      this.#burst,
      this.#tokens + (Math.max(now - this.#filledAt, 0) / 1000) * this.#rate,
    );
    this.#filledAt = now;
  }
}
