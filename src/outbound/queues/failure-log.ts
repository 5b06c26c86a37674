import type { Clock } from '../../clock.ts';
import type { Log } from '../../log.ts';

interface Host {
  /** Failures in this minute. */
  failures: number;
  /** Whether the last request was answered. */
  isBack: boolean;
}

/**
 * Logs failed requests to registries: the first failures of up to three hosts a minute at once, then
 * one line a minute with the failures of all hosts, and one with the hosts that answer again.
 */
export class FailureLog {
  readonly #log: Log;
  readonly #clock: Clock;
  /** The hosts whose failures were logged or are counted. */
  readonly #hosts = new Map<string, Host>();
  /** Problem code of the last failure. */
  #code = '';
  #linesLeft = maxFirstLines;
  #cancel: (() => void) | undefined;

  constructor(log: Log, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  /** Counts a failed request. `code` is its problem code. */
  count(host: string, code: string): void {
    this.#cancel ??= this.#clock.after(intervalMs, () => this.#endMinute());
    const known = this.#hosts.get(host);
    this.#hosts.set(host, { failures: (known?.failures ?? 0) + 1, isBack: false });
    this.#code = code;
    if (known || this.#linesLeft === 0) return;
    this.#linesLeft -= 1;
    this.#hosts.set(host, { failures: 0, isBack: false });
    this.#log.info({ host, failures: 1, code }, 'Requests to a registry failed.');
  }

  /** Records a request that was answered. */
  countAnswered(host: string): void {
    const known = this.#hosts.get(host);
    if (known) known.isBack = true;
  }

  /** Logs the failures that are not logged yet. */
  stop(): void {
    this.#cancel?.();
    this.#writeFailures();
    this.#hosts.clear();
  }

  #endMinute(): void {
    this.#writeFailures();
    const back = Array.from(this.#hosts).filter(([, { isBack, failures }]) => isBack && !failures);
    for (const [host] of back) this.#hosts.delete(host);
    if (back.length > 0)
      this.#log.info(listed(back.map(([host]) => host)), 'Registries answer again.');
    for (const known of this.#hosts.values()) known.failures = 0;
    this.#linesLeft = maxFirstLines;
    this.#cancel =
      this.#hosts.size > 0 ? this.#clock.after(intervalMs, () => this.#endMinute()) : undefined;
  }

  #writeFailures(): void {
    const failing = Array.from(this.#hosts)
      .filter(([, { failures }]) => failures > 0)
      .toSorted(([, a], [, b]) => b.failures - a.failures);
    if (failing.length === 0) return;
    const failures = failing.reduce((sum, [, host]) => sum + host.failures, 0);
    const hosts = listed(failing.map(([host]) => host));
    this.#log.info({ ...hosts, failures, code: this.#code }, 'Requests to registries failed.');
  }
}

/** Returns the first hosts, and the number of the others. */
function listed(all: readonly string[]) {
  const hosts = all.slice(0, maxListed);
  return { hosts, ...(all.length > maxListed && { others: all.length - maxListed }) };
}

const intervalMs = 60_000;
const maxFirstLines = 3;
const maxListed = 5;
