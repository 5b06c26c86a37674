import type { CachedSource, Query, Source } from '../../domain/source.ts';
import type { LookupTracer } from '../query-options.ts';
import { lookUpAndCache, readCache, type CacheContext } from './read-through.ts';

/** Returns a wrapper that adds a cache. One read covers the names of all sources that share it. */
export function cacheWrapper<Q extends Query, T>(
  cache: CacheContext<Q, T>,
  tracing: LookupTracer,
): (source: Source<Q, T>) => CachedSource<Q, T> {
  const read = tracing.cacheReads<Q, T>((queries) => readCache(cache, queries));
  return (source) => {
    const { id } = source;
    const traced = tracing.withinLookups(source);
    const lookup: Source<Q, T>['lookup'] = (query, request) =>
      lookUpAndCache(traced, cache, query, request);
    return { id, lookup: tracing.lookups({ id, lookup }), readCache: read };
  };
}
