import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.ts';
import { Problem } from '../domain/problems.ts';
import {
  derivedRequest,
  type ReadFact,
  type SiteAnswer,
  type SiteFact,
  type SiteFacts,
  type SiteQuery,
  type SiteReader,
  type SiteRequest,
} from './site-facts.ts';
import type { SiteTarget } from './site-target.ts';
import { withoutData } from './site-problems.ts';
import { SharedReads } from './shared-reads.ts';
import type { AgentSignals } from './agent-signals/agent-signals.ts';
import type { TlsScan } from './tls/tls-scan.ts';

/** Reads each kind of fact, without a cache. */
export type FactReaders = { readonly [F in SiteFact]: ReadFact<F> };

interface CachedSiteReaderOptions {
  readonly readers: FactReaders;
  readonly clock: Clock;
  /** Returns why this gateway reads no facts of a kind about a host. */
  readonly refusalOf: (fact: SiteFact, host: string) => Problem | undefined;
  /** Returns whether the sandbox serves a name. */
  readonly isSandbox: (host: string) => boolean;
}

interface CachedFact {
  readonly data: object;
  readonly checkedAt: number;
}

interface CachedFailure {
  readonly problem: Problem;
  readonly checkedAt: number;
}

/** Characters of JSON; about 100 MB in memory. */
const maxCachedCharacters = 50_000_000;
const maxFailures = 1000;
/** How long a failure is returned before the site is contacted again; the same as for registries. */
const failureMs = 5000;

/** Reads facts about sites, with a cache in the memory of this process. */
export class CachedSiteReader implements SiteReader {
  readonly #options: CachedSiteReaderOptions;
  readonly #facts = new LRUCache<string, CachedFact>({
    maxSize: maxCachedCharacters,
    sizeCalculation: ({ data }) => JSON.stringify(data).length,
  });
  readonly #failures = new LRUCache<string, CachedFailure>({ max: maxFailures });
  readonly #reads = new SharedReads();

  constructor(options: CachedSiteReaderOptions) {
    this.#options = options;
  }

  isSandbox({ host }: SiteTarget): boolean {
    return this.#options.isSandbox(host);
  }

  refusalOf(fact: SiteFact, { host }: SiteTarget): Problem | undefined {
    return this.#options.refusalOf(fact, host);
  }

  async read<F extends SiteFact>(
    fact: F,
    query: SiteQuery,
    maxAge: number | undefined,
    request: SiteRequest,
  ): Promise<SiteAnswer<SiteFacts[F]>> {
    const key = `${fact} ${rulesOf(fact).keyOf(query)}`;
    const cached = this.#cached(fact, key, maxAge);
    if (cached) return cached;
    try {
      const read = await this.#reads.join(key, request, (shared) =>
        this.#read(fact, key, query, shared),
      );
      return { ...read, cached: false };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return { problem: error, checkedAt: this.#options.clock.now(), cached: false };
    }
  }

  #cached<F extends SiteFact>(
    fact: F,
    key: string,
    maxAge: number | undefined,
  ): SiteAnswer<SiteFacts[F]> | undefined {
    if (maxAge === 0) return undefined;
    const stored = this.#facts.get(key);
    if (stored) {
      // The kind of the fact is part of the key.
      const data = stored.data as SiteFacts[F];
      if (this.#ageOf(stored) <= ageLimitMs(fact, data, maxAge))
        return { ...withFreshUntil(fact, data, stored.checkedAt), cached: true };
    }
    const failure = this.#failures.get(key);
    return failure && this.#ageOf(failure) <= failureMs ? { ...failure, cached: true } : undefined;
  }

  /** Returns the age in ms; Infinity if the clock was set back since. */
  #ageOf({ checkedAt }: { readonly checkedAt: number }): number {
    const age = this.#options.clock.now() - checkedAt;
    return age < 0 ? Infinity : age;
  }

  async #read<F extends SiteFact>(
    fact: F,
    key: string,
    query: SiteQuery,
    request: SiteRequest,
  ): Promise<{ data: SiteFacts[F]; checkedAt: number; freshUntil: number }> {
    let isSent = false;
    const onSent = () => {
      request.onSent?.();
      isSent = true;
    };
    const { readers, clock } = this.#options;
    const reader: ReadFact<F> = readers[fact];
    try {
      const data = await reader(query, derivedRequest(request, { onSent }));
      const checkedAt = clock.now();
      // Without a request, the data says nothing about the site, or is from the cache.
      if (isSent) this.#facts.set(key, { data, checkedAt });
      this.#failures.delete(key);
      return withFreshUntil(fact, data, checkedAt);
    } catch (error) {
      if (isSent && error instanceof Problem)
        this.#failures.set(key, { problem: withoutData(error), checkedAt: clock.now() });
      throw error;
    }
  }
}

/** Returns a fact with the time until which it is fresh by default. */
function withFreshUntil<F extends SiteFact>(fact: F, data: SiteFacts[F], checkedAt: number) {
  return { data, checkedAt, freshUntil: checkedAt + freshMs(fact, data) };
}

const minuteMs = 60 * 1000;
const dayMs = 24 * 60 * minuteMs;

/** How a kind of fact is cached. */
interface FactRules<T> {
  /** Returns what the fact is about: equal queries share one cached fact. */
  keyOf(query: SiteQuery): string;
  /** Returns whether the site failed, or a part of what was read of it, and may be readable soon. */
  isTemporary?(data: T): boolean;
  /** The maximum age that a caller may request, in ms. */
  readonly maxAgeMs?: number;
}

const keyOfHost = ({ target }: SiteQuery) => target.host;
const keyOfPage = ({ target: { isExact, url } }: SiteQuery) => `${isExact} ${url.href}`;

const factRules: { readonly [F in SiteFact]: FactRules<SiteFacts[F]> } = {
  robots: {
    keyOf: ({ target: { isExact, url } }) => `${isExact} ${url.origin}`,
    isTemporary: ({ access }) => access === 'disallow_all',
    maxAgeMs: dayMs, // RFC 9309 section 2.4
  },
  page: { keyOf: keyOfPage, isTemporary: ({ problem }) => problem !== null },
  // The signals include those that the page declares.
  agentSignals: { keyOf: keyOfPage, isTemporary: isUnknown },
  tls: {
    keyOf: ({ target, profile = 'standard' }) => `${profile} ${target.host}`,
    isTemporary: hasFailedProbe,
  },
  dns: { keyOf: keyOfHost },
  forSale: { keyOf: keyOfHost },
  certificates: { keyOf: keyOfHost },
};

/** Returns the rules of a kind of fact. */
function rulesOf<F extends SiteFact>(fact: F): FactRules<SiteFacts[F]> {
  return factRules[fact];
}

/** Returns how long a fact is fresh if the caller sets no maximum age, in ms. */
function freshMs<F extends SiteFact>(fact: F, data: SiteFacts[F]): number {
  return rulesOf(fact).isTemporary?.(data) ? minuteMs : dayMs;
}

/** Returns the maximum age of a cached fact, in ms. */
function ageLimitMs<F extends SiteFact>(
  fact: F,
  data: SiteFacts[F],
  maxAge: number | undefined,
): number {
  if (maxAge === undefined) return freshMs(fact, data);
  const { isTemporary, maxAgeMs = Infinity } = rulesOf(fact);
  return Math.min(maxAge * 1000, maxAgeMs, isTemporary?.(data) ? minuteMs : Infinity);
}

function isUnknown({ outcome, signals }: AgentSignals): boolean {
  return outcome === 'unavailable' || signals.some(({ status }) => status === 'unknown');
}

function hasFailedProbe({ protocols, cipherCategories, supportsHttp2 }: TlsScan): boolean {
  const results = [...protocols, ...cipherCategories].map(({ isOffered }) => isOffered);
  return [...results, supportsHttp2].includes(null);
}
