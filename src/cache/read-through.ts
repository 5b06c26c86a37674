import type { Clock } from '../clock.ts';
import type { DomainName } from '../domain/domain-name.ts';
import {
  withProvenance,
  type Answer,
  type CacheRead,
  type LookupQuery,
  type LookupRequest,
  type Source,
} from '../domain/source.ts';
import type { Log } from '../log.ts';
import { ageOf, freshUntil, isFresh, isLearnedSince, isUsableStale } from './freshness.ts';
import type { SingleFlight, StartLookup } from './single-flight.ts';
import type { AnswerStore, Extent, StoredAnswer } from './store.ts';

export interface Memory {
  readonly store: AnswerStore;
  readonly singleFlight: SingleFlight;
  /** Contacts and the registry's own object may be stored. */
  readonly keepsRecords: boolean;
  /** What is older is forgotten, whatever the caller allows. */
  readonly keptForSeconds: number;
  /** Whether a stored AVAILABLE still counts: its server still serves the name, and its 404s are still trusted. */
  readonly trustsAvailable: (stored: StoredAnswer) => boolean;
  readonly clock: Clock;
  readonly log: Log;
}

/** Reads the cache for names of any source. Queries no registry, and never rejects. */
export async function readCache(
  memory: Memory,
  queries: readonly LookupQuery[],
): Promise<ReadonlyMap<DomainName, CacheRead>> {
  const completedBefore = memory.singleFlight.completedCount;
  const stored = await read(memory, queries);
  const readOf = (query: LookupQuery): CacheRead => {
    const kept = stored.get(query.name);
    if (!kept) return { completedBefore };
    if (isGood(memory, kept, query)) return { answer: fromMemory(memory, kept, false) };
    return { completedBefore, held: kept, stale: fromMemory(memory, kept, true) };
  };
  return new Map(queries.map((query) => [query.name, readOf(query)]));
}

/**
 * Queries a source for a name whose stored answer was not good enough, and stores what it returns. Reads the cache again only if another lookup
 * of the name has completed since. Never rejects.
 */
export async function queryThrough(
  source: Source,
  memory: Memory,
  query: LookupQuery,
  request: LookupRequest,
): Promise<Answer> {
  const { name, held, stale, maxAge, completedBefore = Infinity } = query;
  if (memory.singleFlight.hasCompletedSince(name, completedBefore))
    return readThrough(source, memory, query, request);
  const start: StartLookup = (queried, sharedRequest) =>
    askAndKeep(source, memory, queried, sharedRequest);
  const answer = await memory.singleFlight.lookUp(query, request, start);
  return answer.result.problem &&
    maxAge === undefined &&
    held &&
    stale &&
    isUsableStale(held, memory.clock.now())
    ? stale
    : answer;
}

/** Returns the stored answer for one name if it is good enough, or queries the source. Never rejects. */
export async function readThrough(
  source: Source,
  memory: Memory,
  query: LookupQuery,
  request: LookupRequest,
): Promise<Answer> {
  const found = (await readCache(memory, [query])).get(query.name);
  return found && 'answer' in found
    ? found.answer
    : queryThrough(source, memory, { ...query, ...found }, request);
}

function isGood(
  { clock, trustsAvailable }: Memory,
  kept: StoredAnswer,
  query: LookupQuery,
): boolean {
  const { maxAge, freshByDefault, goodSince, detail } = query;
  const now = clock.now();
  const fresh = isFresh(kept, maxAge, now) && (!freshByDefault || isFresh(kept, undefined, now));
  const isGoodEnough =
    (fresh || (goodSince !== undefined && isLearnedSince(kept, goodSince, now))) &&
    (kept.whole || detail !== 'record');
  return isGoodEnough && (kept.verdict !== 'AVAILABLE' || trustsAvailable(kept));
}

function fromMemory(memory: Memory, kept: StoredAnswer, stale: boolean): Answer {
  const { verdict, registration, endpoint, checkedAt, evidence } = kept;
  const times = { checkedAt, freshUntil: goodUntil(memory, kept) };
  return {
    result: { verdict, ...(registration && { registration }) },
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

/** When it stops being given to a caller who does not say how old it may be. */
function goodUntil({ keptForSeconds }: Memory, kept: StoredAnswer): number {
  return Math.min(freshUntil(kept), kept.checkedAt + keptForSeconds * 1000);
}

/** A store that cannot be read is a store that knows nothing: the registry still does. */
async function read(
  memory: Memory,
  queries: readonly LookupQuery[],
): Promise<ReadonlyMap<DomainName, StoredAnswer>> {
  const { store, keptForSeconds, clock, log } = memory;
  const known = new Map<DomainName, StoredAnswer>();
  const readSome = (extent: Extent) => {
    const some = queries.filter((query) => extentOf(query) === extent).map(({ name }) => name);
    return some.length > 0 ? [store.getMany(some, extent)] : [];
  };
  try {
    const stored = await Promise.all(extents.flatMap(readSome));
    const now = clock.now();
    for (const some of stored)
      for (const [name, kept] of some)
        if (ageOf(kept, now) <= keptForSeconds) known.set(name, kept);
  } catch (error) {
    log.error({ err: error }, 'stored answers could not be read');
  }
  return known;
}

const extents: readonly Extent[] = ['verdict', 'registration'];

function extentOf({ detail }: LookupQuery): Extent {
  return detail === 'verdict' ? 'verdict' : 'registration';
}

async function askAndKeep(
  source: Source,
  memory: Memory,
  query: LookupQuery,
  request: LookupRequest,
): Promise<Answer> {
  const answer = await source.lookup(query, request);
  const { verdict, registration, expiresAt } = answer.result;
  const { endpoint, checkedAt, evidence } = answer.provenance;
  if (verdict === 'UNKNOWN' || endpoint === undefined || checkedAt === undefined) return answer;
  const kept: StoredAnswer = {
    name: query.name,
    verdict,
    endpoint,
    checkedAt,
    whole: memory.keepsRecords,
    ...(registration && { registration }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(evidence && { evidence }),
  };
  // No caller needs to wait for it.
  memory.store
    .put(kept)
    .catch((error: unknown) => memory.log.error({ err: error }, 'an answer could not be stored'));
  return withProvenance(answer, { freshUntil: goodUntil(memory, kept) });
}
