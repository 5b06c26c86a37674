import { LRUCache } from 'lru-cache';
import { atMost } from '../../shared/lru.ts';
import type { DomainName } from '../../domain/domain-name.ts';

const maxNames = 10_000;
const dayMs = 24 * 60 * 60 * 1000;
const maxGapMs = 6 * 60 * 60 * 1000;

/** Tracks since when registries have returned 404 for names that should be registered. */
export class MissingNames {
  /** The times of the first and the latest 404 of each name, in epoch ms. */
  readonly #names = new LRUCache<DomainName, { readonly since: number; readonly latest: number }>(
    atMost(maxNames),
  );

  has(name: DomainName): boolean {
    return this.#names.has(name);
  }

  /**
   * Records a 404, and returns whether the name has been missing for a day. Two 404s that are more
   * than six hours apart may belong to different outages and do not count as one.
   */
  record(name: DomainName, now: number): boolean {
    const previous = this.#names.get(name);
    const since = previous && now - previous.latest <= maxGapMs ? previous.since : now;
    this.#names.set(name, { since, latest: now });
    return now - since >= dayMs;
  }

  /** Removes a name that was found. */
  delete(name: DomainName): void {
    this.#names.delete(name);
  }
}
