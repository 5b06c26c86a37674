import { LRUCache } from 'lru-cache';
import type { DomainName } from '../../domain/domain-name.ts';

const maxNames = 10_000;
const dayMs = 24 * 60 * 60 * 1000;

/** Remembers since when registries have returned 404 for names that should be registered. */
export class MissingNames {
  /** When the first and the latest 404 of a name came; epoch ms. */
  readonly #names = new LRUCache<DomainName, { readonly since: number; readonly latest: number }>({
    max: maxNames,
  });

  has(name: DomainName): boolean {
    return this.#names.has(name);
  }

  /** Records a 404, and returns whether it has persisted for a day. Two that are more than a day apart may belong to two outages. */
  record(name: DomainName, now: number): boolean {
    const previous = this.#names.get(name);
    const since = previous && now - previous.latest <= dayMs ? previous.since : now;
    this.#names.set(name, { since, latest: now });
    return now - since >= dayMs;
  }

  /** Forgets a name that was found. */
  delete(name: DomainName): void {
    this.#names.delete(name);
  }
}
