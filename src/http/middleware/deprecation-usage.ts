import type { Clock } from '../../clock.ts';
import type { UsedAlias } from '../response/deprecations.ts';
import type { Log } from '../../log.ts';

const reportEveryMs = 60 * 60 * 1000;
/** Pairs of an alias and a caller that are counted between two reports. */
const maxCounted = 10_000;

interface Count {
  readonly path: string;
  readonly alias: string;
  readonly caller: string;
  uses: number;
}

/** Logs one line an hour for each deprecated alias and caller that used it, with the number of uses, and the rest when it is closed. */
export class DeprecationUsage {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #onUse: (path: string, alias: string) => void;
  readonly #counts = new Map<string, Count>();
  #cancelReport: (() => void) | undefined;

  /** `onUse` is called for each use, without the caller. */
  constructor(clock: Clock, log: Log, onUse: (path: string, alias: string) => void) {
    this.#clock = clock;
    this.#log = log;
    this.#onUse = onUse;
  }

  count(used: readonly UsedAlias[], caller: string): void {
    if (used.length > 0 && this.#counts.size === 0)
      this.#cancelReport = this.#clock.after(reportEveryMs, () => this.#report());
    for (const { alias } of used) {
      this.#onUse(alias.path, alias.name);
      const key = JSON.stringify([alias.path, alias.name, caller]);
      const counted = this.#counts.get(key);
      if (counted) counted.uses += 1;
      else if (this.#counts.size < maxCounted)
        this.#counts.set(key, { path: alias.path, alias: alias.name, caller, uses: 1 });
    }
  }

  /** Logs what has not been logged. */
  close(): void {
    this.#cancelReport?.();
    this.#report();
  }

  #report(): void {
    for (const count of this.#counts.values())
      this.#log.info(count, 'deprecated aliases were used');
    this.#counts.clear();
  }
}
