import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.ts';
import { Problem } from '../domain/problems.ts';
import type { Fact, SiteReader } from './fact.ts';
import {
  derivedRequest,
  type ReadFact,
  type SiteAnswer,
  type SiteQuery,
  type SiteRequest,
} from './site-facts.ts';
import { withoutData } from './site-problems.ts';
import { SharedReads } from './shared-reads.ts';

/** Returns the reader of a kind of fact, without a cache. */
type ReaderOf = <T>(fact: Fact<T>) => ReadFact<T>;

/** Characters of JSON; about 100 MB in memory. */
const maxCachedCharacters = 50_000_000;
const maxFailures = 1000;
/** How long a failure is returned before the site is contacted again; the same as for registries. */
const failureMs = 5000;

/** Reads facts about sites, with a cache in the memory of this process. */
export class CachedSiteReader implements SiteReader {
  readonly #readerOf: ReaderOf;
  readonly #clock: Clock;
  readonly #facts = new LRUCache<string, { readonly data: unknown; readonly checkedAt: number }>({
    maxSize: maxCachedCharacters,
    sizeCalculation: ({ data }) => JSON.stringify(data).length,
  });
  readonly #failures = new LRUCache<
    string,
    { readonly problem: Problem; readonly checkedAt: number }
  >({ max: maxFailures });
  readonly #reads = new SharedReads();

  constructor(readerOf: ReaderOf, clock: Clock) {
    this.#readerOf = readerOf;
    this.#clock = clock;
  }

  async read<T>(
    fact: Fact<T>,
    query: SiteQuery,
    maxAge: number | undefined,
    request: SiteRequest,
  ): Promise<SiteAnswer<T>> {
    const key = `${fact.name} ${fact.keyOf(query)}`;
    const cached = this.#cached(fact, key, maxAge);
    if (cached) return cached;

    try {
      const read = await this.#reads.join(key, request, (shared) =>
        this.#read(fact, key, query, shared),
      );
      return { ...read, cached: false };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return { problem: error, checkedAt: this.#clock.now(), cached: false };
    }
  }

  #cached<T>(fact: Fact<T>, key: string, maxAge: number | undefined): SiteAnswer<T> | undefined {
    if (maxAge === 0) return undefined;

    const stored = this.#facts.get(key);
    if (stored) {
      // The kind of the fact is part of the key.
      const data = stored.data as T;
      if (this.#ageOf(stored) <= ageLimitMs(fact, data, maxAge))
        return { ...withFreshUntil(fact, data, stored.checkedAt), cached: true };
    }

    const failure = this.#failures.get(key);
    return failure && this.#ageOf(failure) <= failureMs ? { ...failure, cached: true } : undefined;
  }

  /** Returns the age in ms; Infinity if the clock was set back since. */
  #ageOf({ checkedAt }: { readonly checkedAt: number }): number {
    const age = this.#clock.now() - checkedAt;
    return age < 0 ? Infinity : age;
  }

  async #read<T>(
    fact: Fact<T>,
    key: string,
    query: SiteQuery,
    request: SiteRequest,
  ): Promise<{ data: T; checkedAt: number; freshUntil: number }> {
    let isSent = false;
    const onSent = () => {
      request.onSent?.();
      isSent = true;
    };

    try {
      const data = await this.#readerOf(fact)(query, derivedRequest(request, { onSent }));
      const checkedAt = this.#clock.now();
      // Without a request, the data says nothing about the site, or is from the cache.
      if (isSent) this.#facts.set(key, { data, checkedAt });
      this.#failures.delete(key);
      return withFreshUntil(fact, data, checkedAt);
    } catch (error) {
      if (isSent && error instanceof Problem)
        this.#failures.set(key, { problem: withoutData(error), checkedAt: this.#clock.now() });
      throw error;
    }
  }
}

/** Returns a fact with the time until which it is fresh by default. */
function withFreshUntil<T>(fact: Fact<T>, data: T, checkedAt: number) {
  return { data, checkedAt, freshUntil: checkedAt + freshMs(fact, data) };
}

const minuteMs = 60 * 1000;
const dayMs = 24 * 60 * minuteMs;

/** Returns how long a fact is fresh if the caller sets no maximum age, in ms. */
function freshMs<T>(fact: Fact<T>, data: T): number {
  return fact.isTemporary?.(data) ? minuteMs : dayMs;
}

/** Returns the maximum age of a cached fact, in ms. */
function ageLimitMs<T>(fact: Fact<T>, data: T, maxAge: number | undefined): number {
  if (maxAge === undefined) return freshMs(fact, data);
  const { maxAgeMs = Infinity } = fact;
  return Math.min(maxAge * 1000, maxAgeMs, fact.isTemporary?.(data) ? minuteMs : Infinity);
}
