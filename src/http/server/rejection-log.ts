import type { Clock } from '../../clock.ts';
import type { Log } from '../../log.ts';

/** Logs how many requests were rejected, once a second: a line for each would cost more than the rejection, and fill the disk. */
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

  /** Logs what has not been logged. */
  flush(): void {
    if (!this.#cancel) return;
    this.#cancel();
    this.#cancel = undefined;
    this.#log.warn({ rejected: this.#counts }, 'requests were rejected');
    this.#counts = {};
  }
}

const intervalMs = 1000;
