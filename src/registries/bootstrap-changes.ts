import type { Services } from './bootstrap.ts';

const lostTooMany = 0.1;
const mostNamed = 20;

/** Why a new list must not take the place of the last good one; undefined when it may. */
export function refusalOf(fresh: Services, good: Services | undefined): string | undefined {
  if (!good) return undefined;
  if (good.has('com') && !fresh.has('com')) return 'it has no com';
  const lost = Array.from(good.keys()).filter((entry) => !fresh.has(entry)).length;
  return lost >= good.size * lostTooMany ? `it lost ${lost} of ${good.size} entries` : undefined;
}

/** What a new list changes, for the log: how many entries came, went or moved, and the first of them by name. */
export function changesBetween(before: Services, after: Services): Record<string, unknown> {
  const added = Array.from(after.keys()).filter((entry) => !before.has(entry));
  const removed = Array.from(before.keys()).filter((entry) => !after.has(entry));
  const moved = Array.from(after.keys()).filter((entry) => before.has(entry) && urlsOf(before, entry) !== urlsOf(after, entry));
  return Object.fromEntries(
    Object.entries({ added, removed, moved })
      .filter(([, entries]) => entries.length > 0)
      .map(([change, entries]) => [change, { count: entries.length, first: entries.slice(0, mostNamed) }]),
  );
}

function urlsOf(services: Services, entry: string): string | undefined {
  return services.get(entry)?.baseUrls.join(' ');
}
