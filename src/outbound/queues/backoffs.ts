import { repeatedly, type Clock } from '../../clock.ts';
import type { Log } from '../../log.ts';

/** Stores the back-offs of hosts, for restarts and for the other nodes. */
export interface BackoffStore {
  /** Other nodes use the store, too, so that it is read again and again. */
  readonly isShared?: boolean;
  /** Returns the remaining back-off of each host in ms, by origin. */
  read(): Promise<ReadonlyMap<string, number>>;
  /** Stores a back-off of `ms` milliseconds, unless a longer one is stored. */
  save(origin: string, ms: number): Promise<void>;
}

/**
 * The maximum `Retry-After` that is applied, plus one second. A longer back-off results from a
 * clock that was ahead.
 */
export const maxBackoffMs = 3_601_000;
const pollIntervalMs = 1000;

/** Holds the back-off of each host, no matter which node received its `Retry-After`. */
export class Backoffs {
  readonly #store: BackoffStore;
  readonly #clock: Clock;
  readonly #log: Log;
  /** Epoch ms, by origin. */
  readonly #until = new Map<string, number>();
  #onBackoff: (origin: string, until: number) => void = () => {};
  #stopPolling: (() => void) | undefined;
  #isStopped = false;

  constructor(store: BackoffStore, clock: Clock, log: Log) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
  }

  /** Reads the stored back-offs, and starts to follow those of other nodes. Never rejects. */
  async start(): Promise<void> {
    await this.#read();
    if (this.#store.isShared)
      this.#stopPolling = repeatedly(this.#clock, pollIntervalMs, () => this.#read());
  }

  /** Sets the one listener, which is called for each back-off read from the store. */
  setListener(onBackoff: (origin: string, until: number) => void): void {
    this.#onBackoff = onBackoff;
  }

  /** Returns when the back-off of a host ends, in epoch ms; 0 if it has none. */
  until(origin: string): number {
    return this.#until.get(origin) ?? 0;
  }

  /** Records a back-off that ends at `until` (epoch ms), and stores it. */
  add(origin: string, until: number): void {
    this.#dropExpired();
    this.#until.set(origin, until);
    this.#store.save(origin, until - this.#clock.now()).catch((error: unknown) => {
      this.#log.error(
        { err: error },
        'Failed to store a registry back-off. It is lost at restart and does not apply on other nodes. Check the store.',
      );
    });
  }

  stop(): void {
    this.#isStopped = true;
    this.#stopPolling?.();
  }

  async #read(): Promise<void> {
    try {
      for (const [origin, ms] of await this.#store.read()) this.#apply(origin, ms);
    } catch (error) {
      this.#log.debug(
        { err: error },
        'Failed to read registry back-offs. Retrying at the next poll.',
      );
    }
  }

  #apply(origin: string, ms: number): void {
    const until = this.#clock.now() + Math.min(ms, maxBackoffMs);
    if (this.#isStopped || until <= this.until(origin)) return;
    this.#dropExpired();
    this.#until.set(origin, until);
    this.#onBackoff(origin, until);
  }

  #dropExpired(): void {
    for (const [origin, until] of this.#until)
      if (until <= this.#clock.now()) this.#until.delete(origin);
  }
}
