import type { Clock } from '../clock.ts';

export interface TokenBucket {
  /** Takes a token, or so many for one, if there is one. */
  take(tokens?: number): boolean;
  /** When so many tokens will have been there, in milliseconds since the epoch. */
  readyAt(tokens: number): number;
  /** There are so many now. */
  set(tokens: number): void;
}

/** `rate` tokens a second, saved up to `burst`; a rate of 0 is no limit. */
export function tokenBucket({ rate, burst }: { readonly rate: number; readonly burst: number }, clock: Clock): TokenBucket {
  if (rate === 0) return { take: () => true, readyAt: () => clock.now(), set() {} };
  let tokens = burst;
  let filledAt = clock.now();
  function fill(): void {
    const now = clock.now();
    tokens = Math.min(burst, tokens + (Math.max(now - filledAt, 0) / 1000) * rate);
    filledAt = now;
  }
  return {
    take(taken = 1) {
      fill();
      if (tokens < 1) return false;
      tokens -= taken;
      return true;
    },
    readyAt(wanted) {
      fill();
      return filledAt + Math.max(0, Math.ceil(((wanted - tokens) / rate) * 1000));
    },
    set(left) {
      tokens = left;
      filledAt = clock.now();
    },
  };
}
