import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.ts';
import type { Log } from '../../log.ts';
import { atMost } from '../../shared/lru.ts';
import type { UsedAlias } from '../messages/deprecations.ts';

const logIntervalMs = 60 * 60 * 1000;
const maxCallers = 10_000;

/** Called with the deprecated aliases of a request, and its caller. */
export type CountAliases = (usedAliases: readonly UsedAlias[], caller: string) => void;

/**
 * Counts uses of deprecated aliases with `onUse`, and logs each alias of a caller, at most once an
 * hour.
 */
export function aliasCounter(
  clock: Clock,
  log: Log,
  onUse: (path: string, alias: string) => void,
): CountAliases {
  const loggedAt = new LRUCache<string, number>(atMost(maxCallers));
  return (usedAliases, caller) => {
    for (const { alias } of usedAliases) {
      const { path, name } = alias;
      onUse(path, name);
      const key = JSON.stringify([path, name, caller]);
      if (clock.now() < (loggedAt.get(key) ?? -Infinity) + logIntervalMs) continue;
      loggedAt.set(key, clock.now());
      log.info(
        { path, alias: name, caller },
        'Deprecated alias used. See /docs/versioning for the replacement.',
      );
    }
  };
}
