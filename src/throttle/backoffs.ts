import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';

/** Stores for how long hosts want no requests, for the next start of this process and for the other nodes. */
export interface BackoffStore {
  /** Returns for how many more milliseconds each host wants no requests, by origin. */
  read(): Promise<ReadonlyMap<string, number>>;
  /** Stores that a host wants no requests for so many milliseconds, unless a longer time is stored. */
  save(origin: string, ms: number): Promise<void>;
  /** Calls back for what the nodes save. Notifications may be lost. Absent in a store that no other node uses. */
  subscribe?(onBackoff: OnBackoff): void;
}

type OnBackoff = (origin: string, ms: number) => void;

/** The longest `Retry-After` that counts, and a second: a clock was ahead if a back-off is longer. */
export const maxBackoffMs = 121_000;
/** How soon a node reads what it was not notified of: poolers swallow notifications. */
const pollIntervalMs = 2000;

/** Keeps until when each host wants no requests, whichever node it returned `Retry-After` to. */
export class Backoffs {
  readonly #store: BackoffStore;
  readonly #clock: Clock;
  readonly #log: Log;
  /** Epoch ms, by origin. */
  readonly #until = new Map<string, number>();
  #onBackoff: (origin: string, until: number) => void = () => {};
  #cancelPoll: (() => void) | undefined;
  #isStopped = false;

  constructor(store: BackoffStore, clock: Clock, log: Log) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
  }

  /** Reads what is stored, and from now on what other nodes add. Never rejects. */
  async start(): Promise<void> {
    this.#store.subscribe?.((origin, ms) => this.#apply(origin, ms));
    await this.#read();
    if (this.#store.subscribe) this.#poll();
  }

  /** Sets what is called when the store has a back-off; there is one listener. */
  setListener(onBackoff: (origin: string, until: number) => void): void {
    this.#onBackoff = onBackoff;
  }

  /** Returns until when a host wants no requests, in epoch ms; 0 if nothing is known. */
  until(origin: string): number {
    return this.#until.get(origin) ?? 0;
  }

  /** Records that a host wants no requests until then, in epoch ms. */
  add(origin: string, until: number): void {
    this.#dropExpired();
    this.#until.set(origin, until);
    this.#store.save(origin, until - this.#clock.now()).catch((error: unknown) => {
      this.#log.error(
        { err: error },
        'The back-off of a registry could not be stored. After a restart, and on other nodes, it has no effect.',
      );
    });
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelPoll?.();
  }

  #poll(): void {
    if (this.#isStopped) return;
    this.#cancelPoll = this.#clock.after(
      pollIntervalMs,
      () => void this.#read().then(() => this.#poll()),
    );
  }

  async #read(): Promise<void> {
    try {
      for (const [origin, ms] of await this.#store.read()) this.#apply(origin, ms);
    } catch (error) {
      this.#log.debug({ err: error }, 'The back-offs of registries could not be read.');
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
