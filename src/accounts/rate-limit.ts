import type { Clock } from '../clock.ts';

/** Counts requests, each by whoever sends it. */
export interface RateLimit {
  /** Takes one request from what its sender has left. Whoever cannot be told (undefined) is let pass. */
  take(id: string | undefined): Allowance | undefined;
  /** Takes as much as this, which may be more than is left: then nothing is left until that is made up for. */
  overdraw(id: string | undefined, amount: number): void;
  /** The same without taking it, for a sender that counts only once it did something wrong. */
  look(id: string | undefined): Allowance | undefined;
}

/** How a sender stands with its limit. */
export interface Allowance {
  readonly allowed: boolean;
  /** Requests a minute. */
  readonly limit: number;
  /** How many of them may come at once. */
  readonly burst: number;
  /** What is left of them; 0 exactly when the next request would be refused. */
  readonly remaining: number;
  /** Seconds until a request will be let pass again; 0 while one is. */
  readonly retryAfter: number;
  /** Seconds until nothing counts against the sender any more. */
  readonly resetAfter: number;
  /** The same as a moment, in seconds since the epoch. */
  readonly resetAt: number;
}

/**
 * A token bucket for each sender, in memory: `perMinute` in the long run, a tenth of them (at least `leastBurst`) at once; 0 is no limit, and gives
 * undefined. Of more than `mostSenders` the one that was idle for longest is forgotten, and so let pass.
 */
export function rateLimit(perMinute: number, clock: Clock, mostSenders = 100_000, leastBurst = 10): RateLimit {
  if (perMinute === 0) return { take: () => undefined, look: () => undefined, overdraw: () => {} };
  const burst = Math.max(leastBurst, Math.ceil(perMinute / 10));
  const msPerRequest = 60_000 / perMinute;
  // When each sender's bucket is full again, which says all of it. A Map remembers the order of insertion: whoever takes moves to its end.
  const fullAt = new Map<string, number>();

  /** Requests that still count against a sender, with fractions. */
  function spentBy(id: string): number {
    return Math.max(0, (fullAt.get(id) ?? 0) - clock.elapsed()) / msPerRequest;
  }

  function keep(id: string, spent: number): void {
    fullAt.delete(id);
    fullAt.set(id, clock.elapsed() + spent * msPerRequest);
    const [longestIdle] = fullAt.keys();
    if (fullAt.size > mostSenders && longestIdle !== undefined) fullAt.delete(longestIdle);
  }

  function allowance(allowed: boolean, spent: number): Allowance {
    const left = Math.floor(burst - spent + rounding);
    return {
      allowed,
      limit: perMinute,
      burst,
      remaining: left < 1 ? 0 : left + Math.max(0, perMinute - burst),
      retryAfter: left < 1 ? Math.max(1, seconds(spent + 1 - burst)) : 0,
      resetAfter: seconds(spent),
      resetAt: Math.ceil(clock.now() / 1000 + (spent * msPerRequest) / 1000),
    };
  }

  function seconds(requests: number): number {
    return Math.ceil((requests * msPerRequest) / 1000 - rounding);
  }

  return {
    take(id) {
      if (id === undefined) return undefined;
      const spent = spentBy(id);
      const allowed = spent + 1 <= burst + rounding;
      if (allowed) keep(id, spent + 1);
      return allowance(allowed, allowed ? spent + 1 : spent);
    },
    overdraw(id, amount) {
      if (id !== undefined && amount > 0) keep(id, spentBy(id) + amount);
    },
    look(id) {
      if (id === undefined) return undefined;
      const spent = spentBy(id);
      return allowance(spent + 1 <= burst + rounding, spent);
    },
  };
}

/** What an answer says of it, in three families: draft-ietf-httpapi-ratelimit-headers-11 (two headers) and the older `X-RateLimit-*`. */
export function rateLimitHeaders(allowance: Allowance | undefined): Record<string, string> {
  if (!allowance) return {};
  const { limit, remaining, resetAfter, resetAt } = allowance;
  return {
    'ratelimit-policy': `"default";q=${limit};w=60`,
    ratelimit: `"default";r=${remaining};t=${resetAfter}`,
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(resetAt),
  };
}

/** Of a request: ten tenths in floating point are not quite one. */
const rounding = 1e-3;
