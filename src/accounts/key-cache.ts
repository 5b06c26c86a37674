import { LRUCache } from 'lru-cache';
import { atMost } from '../shared/lru.ts';
import type { Clock } from '../clock.ts';
import { Problem } from '../domain/problems.ts';
import type { Account } from './account.ts';
import type { ApiKey } from './api-key.ts';

interface CachedKey {
  readonly account: Promise<Account | undefined>;
  readonly readAt: number;
  /** When the store last answered, by `clock.elapsed()`. */
  confirmedAt: number;
}

/**
 * Looks up keys in the store and caches each result for a second. A revoked key therefore stops
 * working within two seconds on every node, without notifications between nodes. While the store is
 * unavailable, the last result is used: nothing that costs credits is then executed. A role is used
 * for a minute at most.
 */
export class KeyCache {
  readonly #read: (key: string) => Promise<Account | undefined>;
  readonly #clock: Clock;
  /** Keyed by the key itself: hashing it for each request took as long as the rest of the check. */
  readonly #cached: LRUCache<string, CachedKey>;

  /** `read`: reads the account of a key, or of another name of an account, from the store. */
  constructor(
    read: (key: string) => Promise<Account | undefined>,
    clock: Clock,
    maxKeys = defaultMaxKeys,
  ) {
    this.#read = read;
    this.#clock = clock;
    this.#cached = new LRUCache(atMost(maxKeys));
  }

  /**
   * Returns the account of a key. Rejects with `invalid_api_key` for an unknown, revoked or expired
   * key, and with `LedgerUnavailableError`.
   */
  async accountOf(key: ApiKey): Promise<Account> {
    const account = await this.find(key);
    if (!account)
      throw new Problem(
        'invalid_api_key',
        'Unknown, revoked or expired API key. Contact the gateway operator.',
      );
    return account;
  }

  /** Returns the account of a key, or undefined. Rejects with `LedgerUnavailableError`. */
  find(key: string): Promise<Account | undefined> {
    const cached = this.#cached.get(key);
    // The age counts from before the read, which may take long.
    if (cached && this.#clock.elapsed() - cached.readAt < maxAgeMs) return cached.account;

    const found = this.#read(key);
    const readAt = this.#clock.elapsed();
    const account = found.catch((error: unknown) => {
      if (!cached) throw error;
      read.confirmedAt = cached.confirmedAt;
      return this.#last(cached, error);
    });
    const read: CachedKey = { account, readAt, confirmedAt: readAt };
    // A slice of a header would keep the whole header in memory.
    this.#cached.set(Buffer.from(key).toString(), read);
    account.catch(() => {
      if (this.#cached.peek(key) === read) this.#cached.delete(key);
    });

    return account;
  }

  /** Returns the account that was last read, unless it has expired. Rethrows `error` otherwise. */
  async #last({ account: cached, confirmedAt }: CachedKey, error: unknown): Promise<Account> {
    const account = await cached;
    if (!account || (account.expiresAt ?? Infinity) <= this.#clock.now()) throw error;
    const isRecent = this.#clock.elapsed() - confirmedAt < maxRoleAgeMs;
    return isRecent ? account : { ...account, role: null };
  }
}

const maxAgeMs = 1000;
const maxRoleAgeMs = 60_000;
const defaultMaxKeys = 10_000;
