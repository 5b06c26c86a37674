import type { Clock } from '../../clock.ts';
import {
  createAnswer,
  withProvenance,
  type Answer,
  type NameData,
  type StoredAnswer,
} from '../../domain/answer.ts';
import {
  includesRecord,
  keyOf,
  type CacheRead,
  type LookupRequest,
  type NameQuery,
  type Query,
  type Source,
} from '../../domain/source.ts';
import type { Log } from '../../log.ts';
import {
  ageSeconds,
  freshUntil,
  isFresh,
  isLookedUpSince,
  isUsableStale,
  type DoubtedNames,
} from './freshness.ts';
import { isWorse, knownExpiry, replacesRecord } from './precedence.ts';
import type { SingleFlight } from './single-flight.ts';
import type { AnswerStore, StoredDetail, StoredForm } from './store.ts';

/** A cache of the answers to queries of a type. */
export interface CacheContext<Q extends Query = NameQuery, T = NameData> {
  readonly store: AnswerStore;
  readonly form: StoredForm<T>;
  readonly singleFlight: SingleFlight<T>;
  /** Contacts and the registry's own object may be stored. */
  readonly storesRecords: boolean;
  /** Older answers are ignored, even with a larger `maxAge`. */
  readonly retentionSeconds: number;
  /**
   * Returns whether a stored answer may still be used, whatever its age: an AVAILABLE is still
   * trusted, and what the source of the answer does not confirm, or a detail that it does not have,
   * cannot be looked up elsewhere.
   */
  readonly isUsable: (stored: StoredVerdict, query: Q) => boolean;
  /** The names of which a stored AVAILABLE is not returned. */
  readonly doubtedNames?: DoubtedNames;
  readonly clock: Clock;
  readonly log: Log;
}

/** What is needed to decide whether a stored answer may be used. */
export type StoredVerdict = Pick<
  StoredAnswer,
  'verdict' | 'endpoint' | 'checkedAt' | 'registration'
>;

/** Reads the cache for queries of any source. Queries no registry, and never rejects. */
export async function readCache<Q extends Query, T>(
  cache: CacheContext<Q, T>,
  queries: readonly Q[],
): Promise<ReadonlyMap<string, CacheRead<T>>> {
  const completedBefore = cache.singleFlight.completedCount;
  const keyed = queries.map((query) => [keyOf(query), query] as const);
  const answers = await readStored(cache, keyed);
  const now = cache.clock.now();
  const readOf = (key: string, query: Q): CacheRead<T> => {
    const stored = answers?.get(key);
    const missed = { completedBefore, storedVerdict: answers && (stored?.verdict ?? null) };
    if (!stored || ageSeconds(stored, now) > cache.retentionSeconds) return missed;
    return satisfies(cache, stored, query)
      ? { answer: toCachedAnswer(cache, stored, false) }
      : { ...missed, cached: stored };
  };
  return new Map(keyed.map(([key, query]) => [key, readOf(key, query)]));
}

/**
 * Queries a source without a usable stored answer, and stores the result. Reads the cache again only
 * if another lookup of the same has completed since. Never rejects.
 */
export async function lookUpAndCache<Q extends Query, T>(
  source: Source<Q, T>,
  cache: CacheContext<Q, T>,
  query: Q,
  request: LookupRequest,
): Promise<Answer<T>> {
  const { cached, maxAge, completedBefore = Infinity } = query;
  if (cache.singleFlight.hasCompletedSince(keyOf(query), completedBefore))
    return readThrough(source, cache, query, request);
  const lookUp = () =>
    cache.singleFlight.lookUp(query, request, (shared) =>
      fetchAndStore(source, cache, query, shared),
    );
  const shared = await lookUp();
  const answer = lacksDetail(shared, query, cache) ? await lookUp() : shared;
  // What else the registry says is only understood in its own language.
  if (query.language !== undefined && !hasObject(answer, cache.form))
    return readThrough(source, cache, { ...query, language: undefined }, request);
  return maxAge === undefined &&
    cached &&
    isWorse(answer, cached, query, cache.form) &&
    isUsableStale(cached, cache.clock.now())
    ? toCachedAnswer(cache, cached, true)
    : answer;
}

/** Returns the stored answer to a query if it is usable, or queries the source. Never rejects. */
export async function readThrough<Q extends Query, T>(
  source: Source<Q, T>,
  cache: CacheContext<Q, T>,
  query: Q,
  request: LookupRequest,
): Promise<Answer<T>> {
  const { answer, ...missed } = (await readCache(cache, [query])).get(keyOf(query)) ?? {};
  return answer ?? lookUpAndCache(source, cache, { ...query, ...missed }, request);
}

function hasObject<T>({ data }: Answer<T>, form: StoredForm<T>): boolean {
  return data !== undefined && form.toStored(data).registration !== undefined;
}

function satisfies<Q extends Query, T>(
  { clock, isUsable, doubtedNames }: CacheContext<Q, T>,
  cached: StoredAnswer,
  query: Q,
): boolean {
  if (cached.verdict === 'AVAILABLE' && doubtedNames?.has(cached)) return false;
  const { maxAge, requireDefaultFreshness, notBefore, detail } = query;
  const now = clock.now();
  const isFreshEnough =
    isFresh(cached, maxAge, now) && (!requireDefaultFreshness || isFresh(cached, undefined, now));
  const isGoodEnough =
    (isFreshEnough || (notBefore !== undefined && isLookedUpSince(cached, notBefore, now))) &&
    (cached.isComplete || !includesRecord(detail));
  return isGoodEnough && isUsable(cached, query);
}

function toCachedAnswer<Q extends Query, T>(
  cache: CacheContext<Q, T>,
  stored: StoredAnswer,
  stale: boolean,
): Answer<T> {
  const { endpoint, checkedAt, evidence } = stored;
  return createAnswer(cache.form.fromStored(stored), {
    endpoint,
    checkedAt,
    freshUntil: usableUntil(cache, stored),
    cached: true,
    stale,
    ...(evidence && { evidence }),
  });
}

/** Returns until when a stored answer is returned to callers without `maxAge`, in epoch ms. */
function usableUntil(
  { retentionSeconds }: { readonly retentionSeconds: number },
  stored: StoredAnswer,
): number {
  return Math.min(freshUntil(stored), stored.checkedAt + retentionSeconds * 1000);
}

/**
 * Returns the stored answers of any age; undefined if the store fails: the names are looked up at
 * their registries.
 */
async function readStored<Q extends Query, T>(
  { store, log }: CacheContext<Q, T>,
  queries: readonly (readonly [key: string, query: Q])[],
): Promise<ReadonlyMap<string, StoredAnswer> | undefined> {
  const answers = new Map<string, StoredAnswer>();
  try {
    for (const detail of storedDetails) {
      const keys = queries
        .filter(([, query]) => storedDetailOf(query) === detail && query.language === undefined)
        .map(([key]) => key);
      if (keys.length === 0) continue;
      for (const [key, stored] of await store.getAnswers(keys, detail)) answers.set(key, stored);
    }
  } catch (error) {
    log.error(
      { err: error },
      'Cache read failed. The names are looked up instead. Check the store.',
    );
    return undefined;
  }
  return answers;
}

const storedDetails: readonly StoredDetail[] = ['verdict', 'registration'];

function storedDetailOf({ detail }: Query): StoredDetail {
  return detail === 'verdict' ? 'verdict' : 'registration';
}

async function fetchAndStore<Q extends Query, T>(
  source: Source<Q, T>,
  cache: CacheContext<Q, T>,
  query: Q,
  request: LookupRequest,
): Promise<Answer<T>> {
  const answer = await source.lookup(query, request);
  const data = answer.data === undefined ? undefined : cache.form.toStored(answer.data);
  const name = keyOf(query);
  const verdicts = [data?.verdict, query.storedVerdict];
  const mayBeKept = verdicts.includes(undefined) || verdicts.includes('AVAILABLE');
  // Other verdicts replace no AVAILABLE, and their names would push out those that are in doubt.
  if (mayBeKept || query.language !== undefined)
    cache.doubtedNames?.record(name, data?.verdict, answer);
  if (query.language !== undefined) return answer;
  const { endpoint, checkedAt, evidence, recordEndpoint } = answer.provenance;
  if (data === undefined || endpoint === undefined || checkedAt === undefined) return answer;

  const { verdict, registration, objectText, characters, expiresAt } = data;
  const endsAt = expiresAt ?? knownExpiry(endpoint, query.cached);

  const stored: StoredAnswer = {
    name,
    verdict,
    endpoint,
    checkedAt,
    isComplete: cache.storesRecords,
    // A record of another source than the verdict's is not stored.
    ...(recordEndpoint === undefined && {
      ...(registration && { registration }),
      ...(objectText && { objectText }),
      ...(characters !== undefined && { characters }),
    }),
    ...(endsAt !== undefined && { expiresAt: endsAt }),
    ...(evidence && { evidence }),
  };

  if (replacesRecord(stored, query.cached, cache.clock.now())) return answer;

  const { completedBefore = 0, storedVerdict } = query;
  // Another lookup may have stored an answer since.
  const isOutdated = cache.singleFlight.hasCompletedSince(stored.name, completedBefore);
  // Callers do not wait for the write.
  cache.store
    .putAnswer(stored, isOutdated ? undefined : storedVerdict)
    .catch((error: unknown) =>
      cache.log.error(
        { err: error },
        'Cache write failed. The answer was returned but not stored. Check the store.',
      ),
    );

  // Otherwise, the next lookup queries the registry again.
  return cache.isUsable(stored, query)
    ? withProvenance(answer, { freshUntil: usableUntil(cache, stored) })
    : answer;
}

/**
 * Returns whether an answer lacks the detail of a query because the caller joined the lookup of a
 * verdict, which ended before RDAP or WHOIS was queried.
 */
function lacksDetail<Q extends Query, T>(
  { data, provenance: { endpoint, checkedAt, evidence } }: Answer<T>,
  query: Q,
  { form, isUsable }: CacheContext<Q, T>,
): boolean {
  if (data === undefined || endpoint === undefined || checkedAt === undefined) return false;
  if (evidence?.sources?.some(({ source }) => source === 'rdap' || source === 'whois'))
    return false;
  const { verdict } = form.toStored(data);
  // Whether a registry confirms the answer depends on the lookup, which has the same `confirm`.
  return !isUsable({ verdict, endpoint, checkedAt }, { ...query, confirm: 'AVAILABLE' });
}
