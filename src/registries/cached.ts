import { lookUpAndCache, type CacheContext } from './cache/read-through.ts';
import type { ReadCache, Registry, Source, SourceInfo } from '../domain/source.ts';

/**
 * Returns a registry that stores the answers of `source`, which combines `sources`, and whose
 * `readCache` returns stored answers.
 */
export function cachedRegistry(
  source: Source,
  sources: readonly SourceInfo[],
  cacheContext: CacheContext,
  readCache: ReadCache,
): Registry {
  return {
    id: source.id,
    sources,
    lookup: (queries, request) =>
      queries.map((query) => lookUpAndCache(source, cacheContext, query, request)),
    readCache,
  };
}
