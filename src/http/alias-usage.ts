import type { Clock } from '../clock.ts';
import type { UsedAlias } from '../deprecations.ts';
import type { Log } from '../log.ts';

/** Counts who still uses which old name, and tells the operator. */
export interface AliasUsage {
  count(used: readonly UsedAlias[], caller: string): void;
  /** Tells what was counted since the last time. */
  close(): void;
}

const reportEveryMs = 60 * 60 * 1000;
/** Callers that are told apart between two reports. */
const mostCounted = 10_000;

/**
 * Logs one line an hour for each alias and caller that used it, with how often, and at the end what is left; tells `onUse` of each use, and not
 * whose it is.
 */
export function aliasUsage(clock: Clock, log: Log, onUse: (path: string, alias: string) => void): AliasUsage {
  const counts = new Map<string, { readonly path: string; readonly alias: string; readonly caller: string; uses: number }>();
  let cancelReport: (() => void) | undefined;

  function report(): void {
    for (const count of counts.values()) log.info(count, 'deprecated aliases were used');
    counts.clear();
  }

  return {
    count(used, caller) {
      if (used.length > 0 && counts.size === 0) cancelReport = clock.after(reportEveryMs, report);
      for (const { alias } of used) {
        onUse(alias.path, alias.name);
        const key = JSON.stringify([alias.path, alias.name, caller]);
        const known = counts.get(key);
        if (known) known.uses += 1;
        else if (counts.size < mostCounted) counts.set(key, { path: alias.path, alias: alias.name, caller, uses: 1 });
      }
    },
    close() {
      cancelReport?.();
      report();
    },
  };
}
