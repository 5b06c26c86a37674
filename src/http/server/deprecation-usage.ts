import type { Clock } from '../../clock.ts';
import type { UsedAlias } from '../messages/deprecations.ts';
import type { Log } from '../../log.ts';

const reportIntervalMs = 60 * 60 * 1000;
/** Maximum number of pairs of alias and caller in a report. Further pairs are not logged. */
const maxCounts = 10_000;

interface UsageCount {
  readonly path: string;
  readonly alias: string;
  readonly caller: string;
  uses: number;
}

/** Counts uses of deprecated aliases. Logs a line per alias and caller every hour, and on close. */
export class DeprecationUsage {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #onUse: (path: string, alias: string) => void;
  readonly #counts = new Map<string, UsageCount>();
  #cancelReport: (() => void) | undefined;

  /** `onUse` is called for each use. */
  constructor(clock: Clock, log: Log, onUse: (path: string, alias: string) => void) {
    this.#clock = clock;
    this.#log = log;
    this.#onUse = onUse;
  }

  count(usedAliases: readonly UsedAlias[], caller: string): void {
    if (usedAliases.length > 0 && this.#counts.size === 0)
      this.#cancelReport = this.#clock.after(reportIntervalMs, () => this.#report());
    for (const { alias } of usedAliases) {
      this.#onUse(alias.path, alias.name);
      const key = JSON.stringify([alias.path, alias.name, caller]);
      const count = this.#counts.get(key);
      if (count) count.uses += 1;
      else if (this.#counts.size < maxCounts)
        this.#counts.set(key, { path: alias.path, alias: alias.name, caller, uses: 1 });
    }
  }

  /** Logs the uses since the last report. */
  close(): void {
    this.#cancelReport?.();
    this.#report();
  }

  #report(): void {
    for (const count of this.#counts.values())
      this.#log.info(count, 'Deprecated alias used. See /docs/versioning for the replacement.');
    this.#counts.clear();
  }
}
