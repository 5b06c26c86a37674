import type { Clock } from '../../clock.ts';
import type { DomainName } from '../../domain/domain-name.ts';
import {
  withProvenance,
  type Answer,
  type CacheRead,
  type LookupQuery,
  type LookupRequest,
  type Source,
} from '../../domain/source.ts';
import type { Log } from '../../log.ts';
import { ageSeconds, freshUntil, isFresh, isCheckedSince, isUsableStale } from './freshness.ts';
import type { SingleFlight, StartLookup } from './single-flight.ts';
import { isWorse, knownExpiry, lacksDetail, replacesRecord } from './dns-answers.ts';
import type { AnswerStore, IsUsable, StoredDetail, StoredAnswer } from './store.ts';

export interface CacheContext {
  readonly store: AnswerStore;
  readonly singleFlight: SingleFlight;
  /** Contacts and the registry's own object may be stored. */
  readonly storesRecords: boolean;
  /** Older answers are ignored, even with a larger `maxAge`. */
  readonly retentionSeconds: number;
  /**
   * Returns whether a stored answer may still be used: an AVAILABLE is still trusted, and what the
   * source of the answer does not confirm, or a detail that it does not have, cannot be looked up
   * elsewhere.
   */
  readonly isUsable: IsUsable;
  readonly clock: Clock;
  readonly log: Log;
}

/** Reads the cache for names of any source. Queries no registry, and never rejects. */
export async function readCache(
  cacheContext: CacheContext,
  queries: readonly LookupQuery[],
): Promise<ReadonlyMap<DomainName, CacheRead>> {
  const completedBefore = cacheContext.singleFlight.completedCount;
  const stored = await readStored(cacheContext, queries);
  const readOf = (query: LookupQuery): CacheRead => {
    const cached = stored.get(query.name);
    if (!cached) return { completedBefore };
    if (satisfies(cacheContext, cached, query))
      return { answer: toCachedAnswer(cacheContext, cached, false) };
    return { completedBefore, cached, stale: toCachedAnswer(cacheContext, cached, true) };
  };
  return new Map(queries.map((query) => [query.name, readOf(query)]));
}

/**
 * Queries a source for a name without a usable stored answer, and stores the result. Reads the
 * cache again only if another lookup of the name has completed since. Never rejects.
 */
export async function lookUpAndCache(
  source: Source,
  cacheContext: CacheContext,
  query: LookupQuery,
  request: LookupRequest,
): Promise<Answer> {
  const { name, cached, stale, maxAge, completedBefore = Infinity } = query;
  if (cacheContext.singleFlight.hasCompletedSince(name, completedBefore))
    return readThrough(source, cacheContext, query, request);
  const start: StartLookup = (sharedQuery, sharedRequest) =>
    fetchAndStore(source, cacheContext, sharedQuery, sharedRequest);
  const shared = await cacheContext.singleFlight.lookUp(query, request, start);
  const answer = lacksDetail(shared, query, cacheContext.isUsable)
    ? await cacheContext.singleFlight.lookUp(query, request, start)
    : shared;
  return maxAge === undefined &&
    cached &&
    stale &&
    isWorse(answer, stale, query) &&
    isUsableStale(cached, cacheContext.clock.now())
    ? stale
    : answer;
}

/** Returns the stored answer for a name if it is usable, or queries the source. Never rejects. */
export async function readThrough(
  source: Source,
  cacheContext: CacheContext,
  query: LookupQuery,
  request: LookupRequest,
): Promise<Answer> {
  const cacheRead = (await readCache(cacheContext, [query])).get(query.name);
  return cacheRead && 'answer' in cacheRead
    ? cacheRead.answer
    : lookUpAndCache(source, cacheContext, { ...query, ...cacheRead }, request);
}

function satisfies(
  { clock, isUsable }: CacheContext,
  cached: StoredAnswer,
  query: LookupQuery,
): boolean {
  const { maxAge, requireDefaultFreshness, notBefore, detail } = query;
  const now = clock.now();
  const isFreshEnough =
    isFresh(cached, maxAge, now) && (!requireDefaultFreshness || isFresh(cached, undefined, now));
  const isGoodEnough =
    (isFreshEnough || (notBefore !== undefined && isCheckedSince(cached, notBefore, now))) &&
    (cached.isComplete || detail !== 'record');
  return isGoodEnough && isUsable(cached, query);
}

function toCachedAnswer(cacheContext: CacheContext, cached: StoredAnswer, stale: boolean): Answer {
  const { verdict, registration, characters, endpoint, checkedAt, evidence } = cached;
  const times = { checkedAt, freshUntil: usableUntil(cacheContext, cached) };
  return {
    result: {
      verdict,
      ...(registration && { registration }),
      ...(characters !== undefined && { characters }),
    },
    provenance: {
      endpoint,
      ...times,
      cached: true,
      stale,
      attempts: [],
      ...(evidence && { evidence }),
    },
  };
}

/** Returns until when a stored answer is returned to callers without `maxAge`, in epoch ms. */
function usableUntil({ retentionSeconds }: CacheContext, stored: StoredAnswer): number {
  return Math.min(freshUntil(stored), stored.checkedAt + retentionSeconds * 1000);
}

/**
 * Returns the stored answers. If the store fails, returns none: the names are looked up at their
 * registries.
 */
async function readStored(
  cacheContext: CacheContext,
  queries: readonly LookupQuery[],
): Promise<ReadonlyMap<DomainName, StoredAnswer>> {
  const { store, retentionSeconds, clock, log } = cacheContext;
  const answers = new Map<DomainName, StoredAnswer>();
  const readDetail = (detail: StoredDetail) => {
    const names = queries
      .filter((query) => storedDetailOf(query) === detail)
      .map(({ name }) => name);
    return names.length > 0 ? [store.getAnswers(names, detail)] : [];
  };
  try {
    const stored = await Promise.all(storedDetails.flatMap(readDetail));
    const now = clock.now();
    for (const batch of stored)
      for (const [name, cached] of batch)
        if (ageSeconds(cached, now) <= retentionSeconds) answers.set(name, cached);
  } catch (error) {
    log.error(
      { err: error },
      'Cache read failed. The names are looked up instead. Check the store.',
    );
  }
  return answers;
}

const storedDetails: readonly StoredDetail[] = ['verdict', 'registration'];

function storedDetailOf({ detail }: LookupQuery): StoredDetail {
  return detail === 'verdict' ? 'verdict' : 'registration';
}

async function fetchAndStore(
  source: Source,
  cacheContext: CacheContext,
  query: LookupQuery,
  request: LookupRequest,
): Promise<Answer> {
  const answer = await source.lookup(query, request);
  const { verdict, registration, characters, expiresAt } = answer.result;
  const { endpoint, checkedAt, evidence, recordEndpoint } = answer.provenance;
  if (verdict === 'UNKNOWN' || endpoint === undefined || checkedAt === undefined) return answer;
  const endsAt = expiresAt ?? knownExpiry(endpoint, query.cached);
  const stored: StoredAnswer = {
    name: query.name,
    verdict,
    endpoint,
    checkedAt,
    isComplete: cacheContext.storesRecords,
    // A record of another source than the verdict's is not stored.
    ...(recordEndpoint === undefined && {
      ...(registration && { registration }),
      ...(characters !== undefined && { characters }),
    }),
    ...(endsAt !== undefined && { expiresAt: endsAt }),
    ...(evidence && { evidence }),
  };
  if (replacesRecord(stored, query.cached, cacheContext.clock.now())) return answer;
  // Callers do not wait for the write.
  cacheContext.store
    .putAnswer(stored)
    .catch((error: unknown) =>
      cacheContext.log.error(
        { err: error },
        'Cache write failed. The answer was returned but not stored. Check the store.',
      ),
    );
  // Otherwise, the next lookup queries the registry again.
  const isReused = cacheContext.isUsable(stored, query);
  return isReused
    ? withProvenance(answer, { freshUntil: usableUntil(cacheContext, stored) })
    : answer;
}
