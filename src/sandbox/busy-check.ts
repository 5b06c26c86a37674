import type { Clock } from '../clock.ts';

const windowMs = 10_000;
const maxNames = 1_000;

/** Says of a name whether this is its first request in ten seconds. Forgets the oldest names rather than grow without end. */
export function createBusyCheck(clock: Clock): (name: string) => boolean {
  const firstRequestedAt = new Map<string, number>();
  return (name) => {
    const now = clock.now();
    const first = firstRequestedAt.get(name);
    if (first !== undefined && now - first < windowMs) return false;
    // Set anew, so that the map's order is the order of age.
    firstRequestedAt.delete(name);
    firstRequestedAt.set(name, now);
    for (const [oldest, at] of firstRequestedAt) {
      if (firstRequestedAt.size <= maxNames && now - at < windowMs) break;
      firstRequestedAt.delete(oldest);
    }
    return true;
  };
}
