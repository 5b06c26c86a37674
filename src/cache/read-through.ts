import type { Clock } from '../clock.ts';
import type { DomainName } from '../domain/domain-name.ts';
import type { Answer, Asker, CacheRead, Question, Source } from '../domain/registry.ts';
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
export async function readCache(memory: Memory, questions: readonly Question[]): Promise<ReadonlyMap<DomainName, CacheRead>> {
  const completedBefore = memory.singleFlight.completedCount;
  const stored = await read(memory, questions);
  const readOf = (question: Question): CacheRead => {
    const kept = stored.get(question.name);
    if (!kept) return { completedBefore };
    if (isGood(memory, kept, question)) return { answer: fromMemory(memory, kept, false) };
    return { completedBefore, held: kept, stale: fromMemory(memory, kept, true) };
  };
  return new Map(questions.map((question) => [question.name, readOf(question)]));
}

/**
 * Queries a source for a name whose stored answer was not good enough, and stores what it returns. Reads the cache again only if another lookup
 * of the name has completed since. Never rejects.
 */
export async function queryThrough(source: Source, memory: Memory, question: Question, asker: Asker): Promise<Answer> {
  const { name, held, stale, maxAge, completedBefore = Infinity } = question;
  if (memory.singleFlight.hasCompletedSince(name, completedBefore)) return readThrough(source, memory, question, asker);
  const start: StartLookup = (queried, sharedAsker) => askAndKeep(source, memory, queried, sharedAsker);
  const answer = await memory.singleFlight.lookUp(question, asker, start);
  return answer.problem && maxAge === undefined && held && stale && isUsableStale(held, memory.clock.now()) ? stale : answer;
}

/** Returns the stored answer for one name if it is good enough, or queries the source. Never rejects. */
export async function readThrough(source: Source, memory: Memory, question: Question, asker: Asker): Promise<Answer> {
  const found = (await readCache(memory, [question])).get(question.name);
  return found && 'answer' in found ? found.answer : queryThrough(source, memory, { ...question, ...found }, asker);
}

function isGood({ clock, trustsAvailable }: Memory, kept: StoredAnswer, question: Question): boolean {
  const { maxAge, freshByDefault, goodSince, part } = question;
  const now = clock.now();
  const fresh = isFresh(kept, maxAge, now) && (!freshByDefault || isFresh(kept, undefined, now));
  const isGoodEnough = (fresh || (goodSince !== undefined && isLearnedSince(kept, goodSince, now))) && (kept.whole || part !== 'record');
  return isGoodEnough && (kept.verdict !== 'AVAILABLE' || trustsAvailable(kept));
}

function fromMemory(memory: Memory, kept: StoredAnswer, stale: boolean): Answer {
  const { verdict, registration, endpoint, checkedAt, evidence } = kept;
  const facts = { ...(registration && { registration }), ...(evidence && { evidence }) };
  return { verdict, ...facts, endpoint, checkedAt, freshUntil: goodUntil(memory, kept), cached: true, stale };
}

/** When it stops being given to a caller who does not say how old it may be. */
function goodUntil({ keptForSeconds }: Memory, kept: StoredAnswer): number {
  return Math.min(freshUntil(kept), kept.checkedAt + keptForSeconds * 1000);
}

/** A store that cannot be read is a store that knows nothing: the registry still does. */
async function read(memory: Memory, questions: readonly Question[]): Promise<ReadonlyMap<DomainName, StoredAnswer>> {
  const { store, keptForSeconds, clock, log } = memory;
  const known = new Map<DomainName, StoredAnswer>();
  const readSome = (extent: Extent) => {
    const some = questions.filter((question) => extentOf(question) === extent).map(({ name }) => name);
    return some.length > 0 ? [store.getMany(some, extent)] : [];
  };
  try {
    const stored = await Promise.all(extents.flatMap(readSome));
    const now = clock.now();
    for (const some of stored) for (const [name, kept] of some) if (ageOf(kept, now) <= keptForSeconds) known.set(name, kept);
  } catch (error) {
    log.error({ err: error }, 'stored answers could not be read');
  }
  return known;
}

const extents: readonly Extent[] = ['verdict', 'registration'];

function extentOf({ part }: Question): Extent {
  return part === 'verdict' ? 'verdict' : 'registration';
}

async function askAndKeep(source: Source, memory: Memory, question: Question, asker: Asker): Promise<Answer> {
  const answer = await source.ask(question, asker);
  const { verdict, endpoint, checkedAt, registration, expiresAt, evidence } = answer;
  if (verdict === 'UNKNOWN' || endpoint === undefined || checkedAt === undefined) return answer;
  const kept: StoredAnswer = {
    name: question.name,
    verdict,
    endpoint,
    checkedAt,
    whole: memory.keepsRecords,
    ...(registration && { registration }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(evidence && { evidence }),
  };
  // No caller needs to wait for it.
  memory.store.put(kept).catch((error: unknown) => memory.log.error({ err: error }, 'an answer could not be stored'));
  return { ...answer, freshUntil: goodUntil(memory, kept) };
}
