/** Limits the requests in flight by additive increase and multiplicative decrease, from `max` on and never above it. */
export class AimdConcurrency {
  readonly #max: number;
  #allowed: number;
  #halvedAt = -Infinity;

  constructor(max: number) {
    this.#max = max;
    this.#allowed = max;
  }

  get limit(): number {
    return Math.floor(this.#allowed);
  }

  /** Records a good response: a round of them raises the limit by one. */
  grow(): void {
    this.#allowed = Math.min(this.#max, this.#allowed + 1 / this.#allowed);
  }

  /** Records that a request which was sent at `sentAt` was too much. */
  halve(sentAt: number, now: number): void {
    // All requests that were sent before the last halving met the same bad moment: they count once.
    if (sentAt <= this.#halvedAt) return;
    this.#halvedAt = now;
    this.#allowed = Math.max(1, this.#allowed / 2);
  }
}
