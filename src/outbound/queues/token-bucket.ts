/**
 * A token bucket that refills at `rate` tokens per second, up to `burst`. A rate of 0 sets no
 * limit. Each method takes the current time, in epoch ms.
 */
export class TokenBucket {
  readonly #rate: number;
  readonly #burst: number;
  #tokens: number;
  #filledAt = 0;

  constructor({ rate, burst }: { readonly rate: number; readonly burst: number }) {
    this.#rate = rate;
    this.#burst = rate === 0 ? Infinity : burst;
    this.#tokens = this.#burst;
  }

  isFull(now: number): boolean {
    this.#fill(now);
    return this.#tokens >= this.#burst;
  }

  /** Takes a token. Returns false if there is none. */
  take(now: number): boolean {
    this.#fill(now);
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /**
   * Returns when `tokens` tokens can have been taken, in epoch ms, if no others are taken. More
   * than `burst` are computed as if the bucket could hold them.
   */
  readyAt(tokens: number, now: number): number {
    this.#fill(now);
    if (tokens <= this.#tokens) return this.#filledAt;
    return this.#filledAt + Math.ceil(((tokens - this.#tokens) / this.#rate) * 1000);
  }

  #fill(now: number): void {
    this.#tokens = Math.min(
      this.#burst,
      this.#tokens + (Math.max(now - this.#filledAt, 0) / 1000) * this.#rate,
    );
    this.#filledAt = now;
  }
}
