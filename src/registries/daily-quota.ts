import type { Clock } from '../clock.ts';

/** So many requests in any twenty-four hours. */
export interface DailyQuota {
  take(): void;
  /** When so many more may have been sent, in milliseconds since the epoch. */
  readyAt(requests: number): number;
}

const dayMs = 24 * 60 * 60 * 1000;

/** Absent = as many as there are. */
export function dailyQuota(perDay: number | undefined, clock: Clock): DailyQuota {
  if (perDay === undefined) return { take() {}, readyAt: () => clock.now() };
  // A bucket that refills would let twice as many through in the first day.
  const sent: number[] = [];
  return {
    take: () => void sent.push(clock.now()),
    readyAt(requests) {
      const now = clock.now();
      while (sent[0] !== undefined && sent[0] <= now - dayMs) sent.shift();
      const left = perDay - sent.length;
      return requests <= left ? now : (sent[requests - left - 1] ?? now) + dayMs;
    },
  };
}
