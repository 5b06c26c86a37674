import type { Clock } from '../clock.ts';

const windowMs = 10_000;
const mostNames = 1_000;

/** Says of a name whether this is its first request in ten seconds. Forgets the oldest names rather than grow without end. */
export function busySignal(clock: Clock): (name: string) => boolean {
  const firstAskedAt = new Map<string, number>();
  return (name) => {
    const now = clock.now();
    const first = firstAskedAt.get(name);
    if (first !== undefined && now - first < windowMs) return false;
    // Set anew, so that the map's order is the order of age.
    firstAskedAt.delete(name);
    firstAskedAt.set(name, now);
    for (const [oldest, at] of firstAskedAt) {
      if (firstAskedAt.size <= mostNames && now - at < windowMs) break;
      firstAskedAt.delete(oldest);
    }
    return true;
  };
}
