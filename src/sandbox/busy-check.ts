import type { Clock } from '../clock.ts';

const windowMs = 10_000;
const maxNames = 1_000;

/**
 * Creates a check that returns true for the first request for a name in ten seconds. It tracks at
 * most 1,000 names; the oldest are dropped.
 */
export function createBusyCheck(clock: Clock): (name: string) => boolean {
  const firstRequestedAt = new Map<string, number>();
  return (name) => {
    const now = clock.now();
    const first = firstRequestedAt.get(name);
    if (first !== undefined && now - first < windowMs) return false;
    // Deleted first, so that the map is ordered by age.
    firstRequestedAt.delete(name);
    firstRequestedAt.set(name, now);
    for (const [oldest, at] of firstRequestedAt) {
      if (firstRequestedAt.size <= maxNames && now - at < windowMs) break;
      firstRequestedAt.delete(oldest);
    }
    return true;
  };
}
