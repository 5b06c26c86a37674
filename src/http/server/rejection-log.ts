import type { Clock } from '../../clock.ts';
import type { Log } from '../../log.ts';

/**
 * Logs the number of rejected requests once per second: a line for each would cost more than the
 * rejection, and fill the disk.
 */
export class RejectionLog {
  readonly #log: Log;
  readonly #clock: Clock;
  #counts: Record<string, number> = {};
  #cancel: (() => void) | undefined;

  constructor(log: Log, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  count(code: string): void {
    this.#counts[code] = (this.#counts[code] ?? 0) + 1;
    this.#cancel ??= this.#clock.after(intervalMs, () => this.flush());
  }

  /** Logs the requests counted since the last line. */
  flush(): void {
    if (!this.#cancel) return;
    this.#cancel();
    this.#cancel = undefined;
    this.#log.warn(
      { rejected: this.#counts },
      'Requests rejected by rate limits or load shedding.',
    );
    this.#counts = {};
  }
}

const intervalMs = 1000;
