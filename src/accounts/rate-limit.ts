import type { Clock } from '../clock.ts';

/** The state of a caller's rate limit. */
interface RateLimitState {
  readonly allowed: boolean;
  /** Requests a minute. */
  readonly limit: number;
  /** How many requests may be sent at once; 0 exactly when the next one would be rejected. */
  readonly remaining: number;
  /** Seconds until a request is allowed again; 0 while one is. */
  readonly retryAfter: number;
  /** Seconds until the bucket is full again. */
  readonly resetAfter: number;
  /** The same as a moment, in seconds since the epoch. */
  readonly resetAt: number;
}

export interface RateLimitOptions {
  /** How many requests may be sent at once. */
  readonly burst?: number;
  /** Of more callers, the one that was idle for longest is forgotten, so that its bucket is full. */
  readonly maxCallers?: number;
}

const defaultMaxCallers = 100_000;

/** Counts requests in a token bucket for each caller, in memory. The bucket holds a full minute's quota. A limit of 0 allows everything. */
export class RateLimit {
  readonly #perMinute: number;
  readonly #clock: Clock;
  readonly #burst: number;
  readonly #maxCallers: number;
  /** When the bucket of each caller is full again, which says all of it. A Map is ordered by insertion: a caller that takes moves to its end. */
  readonly #fullAt = new Map<string, number>();

  constructor(
    perMinute: number,
    clock: Clock,
    { burst = perMinute, maxCallers = defaultMaxCallers }: RateLimitOptions = {},
  ) {
    this.#perMinute = perMinute;
    this.#clock = clock;
    this.#burst = burst;
    this.#maxCallers = maxCallers;
  }

  /** Takes one request from the bucket of a caller. Returns undefined, which allows it, if there is no limit or the caller is unknown. */
  take(id: string | undefined): RateLimitState | undefined {
    const state = this.peek(id);
    if (id === undefined || !state?.allowed) return state;
    const spent = this.#spentBy(id) + 1;
    this.#setSpent(id, spent);
    return this.#state(true, spent);
  }

  /** Takes as much as this, which may be more than is left: then nothing is left until the difference is refilled. */
  overdraw(id: string | undefined, amount: number): void {
    if (this.#perMinute > 0 && id !== undefined && amount > 0)
      this.#setSpent(id, this.#spentBy(id) + amount);
  }

  /** Returns what `take` would return for a request now, without taking it. */
  peek(id: string | undefined): RateLimitState | undefined {
    if (this.#perMinute === 0 || id === undefined) return undefined;
    const spent = this.#spentBy(id);
    return this.#state(spent + 1 <= this.#burst + epsilon, spent);
  }

  /** Returns how many requests are missing in the bucket of a caller, with fractions. */
  #spentBy(id: string): number {
    return Math.max(0, (this.#fullAt.get(id) ?? 0) - this.#clock.elapsed()) / this.#msPerRequest;
  }

  #setSpent(id: string, spent: number): void {
    this.#fullAt.delete(id);
    this.#fullAt.set(id, this.#clock.elapsed() + spent * this.#msPerRequest);
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

  get #msPerRequest(): number {
    return 60_000 / this.#perMinute;
  }
}

/** Returns the headers that describe an allowance: two of draft-ietf-httpapi-ratelimit-headers-11, and the older `X-RateLimit-*`. */
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

/** Of a request: ten tenths in floating point are not quite one. */
const epsilon = 1e-3;
