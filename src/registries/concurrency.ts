/** How many requests a host is sent at once: more while it copes, half as many when it does not. */
export interface Concurrency {
  readonly limit: number;
  /** A request was answered well. */
  grow(): void;
  /** A request that left at `sentAt` was too much for the host. */
  halve(sentAt: number, now: number): void;
}

/** Additive increase, multiplicative decrease, from `most` on and never above it. */
export function adaptiveConcurrency(most: number): Concurrency {
  let allowed = most;
  let halvedAt = -Infinity;
  return {
    get limit() {
      return Math.floor(allowed);
    },
    grow() {
      allowed = Math.min(most, allowed + 1 / allowed);
    },
    halve(sentAt, now) {
      // All that left before the last halving are of the same bad moment: they count once.
      if (sentAt <= halvedAt) return;
      halvedAt = now;
      allowed = Math.max(1, allowed / 2);
    },
  };
}
