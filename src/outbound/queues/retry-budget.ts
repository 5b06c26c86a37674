const maxRetryShare = 0.1;
const minRetries = 3;
const windowSeconds = 60;

/**
 * Limits the retries of one host to a tenth of its requests in the last minute; three per minute
 * are always allowed.
 */
export class RetryBudget {
  readonly #requests = new SlidingWindowCounter();
  readonly #retries = new SlidingWindowCounter();

  /** Counts a request, including a retry. */
  recordSent(now: number): void {
    this.#requests.add(now);
  }

  /** Takes one retry. Returns false if the budget is exhausted. */
  takeRetry(now: number): boolean {
    if (this.#retries.count(now) >= Math.max(minRetries, this.#requests.count(now) * maxRetryShare))
      return false;
    this.#retries.add(now);
    return true;
  }
}

/** Counts the events of the last sixty seconds, in buckets of one second. */
class SlidingWindowCounter {
  readonly #bySecond = new Map<number, number>();

  add(now: number): void {
    this.#dropExpired(now);
    const second = secondOf(now);
    this.#bySecond.set(second, (this.#bySecond.get(second) ?? 0) + 1);
  }

  count(now: number): number {
    this.#dropExpired(now);
    return Array.from(this.#bySecond.values()).reduce((sum, count) => sum + count, 0);
  }

  #dropExpired(now: number): void {
    for (const second of this.#bySecond.keys())
      if (second <= secondOf(now) - windowSeconds) this.#bySecond.delete(second);
  }
}

const secondOf = (now: number) => Math.floor(now / 1000);
