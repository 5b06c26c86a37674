import type { Clock } from '../../clock.ts';
import type { Log } from '../../log.ts';

interface RecentFailures {
  /** Failures that are not logged yet. */
  count: number;
  lastCode: string;
  readonly cancel: () => void;
}

/** Logs failed requests to registries: one line per host and minute, the first one immediately. */
export class FailureLog {
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #recent = new Map<string, RecentFailures>();

  constructor(log: Log, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  /** Counts a failed request. `code` is its problem code. */
  count(host: string, code: string): void {
    const recent = this.#recent.get(host);
    if (recent) {
      recent.count += 1;
      recent.lastCode = code;
    } else {
      this.#write(host, 1, code);
      this.#startMinute(host);
    }
  }

  /** Logs the failures that are not logged yet. */
  stop(): void {
    for (const [host, { count, lastCode, cancel }] of this.#recent) {
      cancel();
      if (count > 0) this.#write(host, count, lastCode);
    }
    this.#recent.clear();
  }

  #startMinute(host: string): void {
    const cancel = this.#clock.after(intervalMs, () => this.#endMinute(host));
    this.#recent.set(host, { count: 0, lastCode: '', cancel });
  }

  #endMinute(host: string): void {
    const { count = 0, lastCode = '' } = this.#recent.get(host) ?? {};
    this.#recent.delete(host);
    if (count === 0) return;
    this.#write(host, count, lastCode);
    this.#startMinute(host);
  }

  #write(host: string, failures: number, code: string): void {
    this.#log.info({ host, failures, code }, 'Requests to a registry failed.');
  }
}

const intervalMs = 60_000;
