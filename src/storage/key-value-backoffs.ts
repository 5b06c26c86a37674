import type { KeyValueStore } from '../shared/key-value-store.ts';
import type { Clock } from '../clock.ts';
import type { BackoffStore } from '../outbound/queues/backoffs.ts';

const keyPrefix = 'closed:';

/**
 * Stores back-offs as epoch milliseconds in the key-value part of an answer store that only one
 * process uses.
 */
export class KeyValueBackoffs implements BackoffStore {
  readonly #store: KeyValueStore;
  readonly #clock: Clock;
  /** End of the back-off in epoch ms, by key. */
  readonly #stored = new Map<string, number>();

  constructor(store: KeyValueStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  async read(): Promise<ReadonlyMap<string, number>> {
    for (const [key, until] of await this.#store.read(keyPrefix))
      this.#stored.set(key, Number(until));
    await this.#deleteExpired();
    const now = this.#clock.now();
    return new Map(
      Array.from(this.#stored, ([key, until]) => [key.slice(keyPrefix.length), until - now]),
    );
  }

  async save(origin: string, ms: number): Promise<void> {
    const until = Math.ceil(this.#clock.now() + ms);
    this.#stored.set(keyPrefix + origin, until);
    await Promise.all([this.#store.put(keyPrefix + origin, String(until)), this.#deleteExpired()]);
  }

  async #deleteExpired(): Promise<void> {
    const expired = Array.from(this.#stored).filter(([, until]) => !(until > this.#clock.now()));
    for (const [key] of expired) this.#stored.delete(key);
    await Promise.all(expired.map(([key, until]) => this.#store.deleteIf(key, String(until))));
  }
}
