/**
 * Limits requests in flight by additive increase and multiplicative decrease, starting at its
 * maximum `max`.
 */
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

  /** Records a successful response. As many successes as the limit raise it by one. */
  grow(): void {
    this.#allowed = Math.min(this.#max, this.#allowed + 1 / this.#allowed);
  }

  /** Records an overload signal (429, 503 or timeout) for a request sent at `sentAt` (epoch ms). */
  halve(sentAt: number, now: number): void {
    // Requests sent before the last halving met the same overload: together they count once.
    if (sentAt <= this.#halvedAt) return;
    this.#halvedAt = now;
    this.#allowed = Math.max(1, this.#allowed / 2);
  }
}
