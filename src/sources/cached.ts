import { lookUpAndCache, type CacheContext } from '../cache/read-through.ts';
import type { ReadCache, Registry, Source } from '../domain/source.ts';

/**
 * Returns a registry that stores the answers of `source`, and whose `readCache` returns stored
 * answers.
 */
export function cachedRegistry(
  source: Source,
  cacheContext: CacheContext,
  readCache: ReadCache,
): Registry {
  return {
    id: source.id,
    lookup: (queries, request) =>
      queries.map((query) => lookUpAndCache(source, cacheContext, query, request)),
    readCache,
  };
}
