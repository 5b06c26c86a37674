import type { Clock } from '../clock.ts';

/** The state of a caller's rate limit. */
interface RateLimitState {
  readonly allowed: boolean;
  /** Requests per minute. */
  readonly limit: number;
  /** Requests that may be sent immediately; 0 exactly if the next one would be rejected. */
  readonly remaining: number;
  /** Seconds until the next request is allowed; 0 if it is allowed now. */
  readonly retryAfter: number;
  /** Seconds until the bucket is full again. */
  readonly resetAfter: number;
  /** When the bucket is full again, in seconds since the epoch. */
  readonly resetAt: number;
}

/** Overrides of a rate limit's defaults. */
export interface RateLimitOptions {
  /** Size of the bucket in requests. */
  readonly burst?: number;
  /**
   * Above this number, the caller idle for the longest time is evicted, which refills its bucket.
   */
  readonly maxCallers?: number;
}

const defaultMaxCallers = 100_000;

/**
 * Limits requests with a token bucket per caller, in memory. By default, a bucket holds a full
 * minute's quota. A limit of 0 allows everything.
 */
export class RateLimit {
  readonly #perMinute: number;
  readonly #msPerRequest: number;
  readonly #clock: Clock;
  readonly #burst: number;
  readonly #maxCallers: number;
  /**
   * When each caller's bucket is full again, which determines its level. Ordered by last use:
   * `#setSpent` reinserts the caller at the end of the Map.
   */
  readonly #fullAt = new Map<string, number>();

  constructor(
    perMinute: number,
    clock: Clock,
    { burst = perMinute, maxCallers = defaultMaxCallers }: RateLimitOptions = {},
  ) {
    this.#perMinute = perMinute;
    this.#msPerRequest = 60_000 / perMinute;
    this.#clock = clock;
    this.#burst = burst;
    this.#maxCallers = maxCallers;
  }

  /**
   * Takes one request from a caller's bucket. Returns undefined, which allows the request, if there
   * is no limit or the caller is unknown.
   */
  take(id: string | undefined): RateLimitState | undefined {
    if (this.#perMinute === 0 || id === undefined) return undefined;
    const now = this.#clock.elapsed();
    const spent = this.#spentBy(id, now);
    const allowed = this.#allows(spent);
    if (allowed) this.#setSpent(id, spent + 1, now);
    return this.#state(allowed, allowed ? spent + 1 : spent);
  }

  /**
   * Takes an amount that may exceed the bucket's level: requests are then rejected until the
   * difference is refilled.
   */
  overdraw(id: string | undefined, amount: number): void {
    if (this.#perMinute === 0 || id === undefined || amount <= 0) return;
    const now = this.#clock.elapsed();
    this.#setSpent(id, this.#spentBy(id, now) + amount, now);
  }

  /** Returns what `take` would return for a request now, without taking it. */
  peek(id: string | undefined): RateLimitState | undefined {
    if (this.#perMinute === 0 || id === undefined) return undefined;
    const spent = this.#spentBy(id, this.#clock.elapsed());
    return this.#state(this.#allows(spent), spent);
  }

  /** Returns whether `take` would allow a request now. */
  hasRoom(id: string | undefined): boolean {
    if (this.#perMinute === 0 || id === undefined) return true;
    return this.#allows(this.#spentBy(id, this.#clock.elapsed()));
  }

  #allows(spent: number): boolean {
    return spent + 1 <= this.#burst + epsilon;
  }

  /** Returns how many requests are missing from a full bucket, with fractions. */
  #spentBy(id: string, now: number): number {
    return Math.max(0, (this.#fullAt.get(id) ?? 0) - now) / this.#msPerRequest;
  }

  #setSpent(id: string, spent: number, now: number): void {
    this.#fullAt.delete(id);
    this.#fullAt.set(id, now + spent * this.#msPerRequest);
    const [longestIdle] = this.#fullAt.keys();
    if (this.#fullAt.size > this.#maxCallers && longestIdle !== undefined)
      this.#fullAt.delete(longestIdle);
  }

  #state(allowed: boolean, spent: number): RateLimitState {
    const remaining = Math.max(0, Math.floor(this.#burst - spent + epsilon));
    return {
      allowed,
      limit: this.#perMinute,
      remaining,
      retryAfter: remaining > 0 ? 0 : Math.max(1, this.#seconds(spent + 1 - this.#burst)),
      resetAfter: this.#seconds(spent),
      resetAt: Math.ceil(this.#clock.now() / 1000 + (spent * this.#msPerRequest) / 1000),
    };
  }

  #seconds(requests: number): number {
    return Math.max(0, Math.ceil((requests * this.#msPerRequest) / 1000 - epsilon));
  }
}

/**
 * Returns the headers that describe a rate limit: two of draft-ietf-httpapi-ratelimit-headers-11,
 * and the older `X-RateLimit-*`.
 */
export function rateLimitHeaders(state: RateLimitState | undefined): Record<string, string> {
  if (!state) return {};

  const { limit, remaining, resetAfter, resetAt } = state;
  return {
    'ratelimit-policy': `"default";q=${limit};w=60`,
    ratelimit: `"default";r=${remaining};t=${resetAfter}`,
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(resetAt),
  };
}

/** In requests: ten tenths in floating point are slightly less than one. */
const epsilon = 1e-3;
