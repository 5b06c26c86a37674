import type { SourceKind } from '../domain/answer.ts';
import type { Query, ReadCache, Source } from '../domain/source.ts';
import type { Log } from '../log.ts';
import type { RdapOptions } from './rdap/rdap-exchange.ts';
import type { Chance } from './chance.ts';
import type { ThrottleOptions } from './throttled.ts';
import type { ExchangeText } from './whois/tcp-source.ts';

/** Creates spans of lookups, of reads of the cache, and of queries without an HTTP client. */
export interface LookupTracer {
  source(source: Source, kind: SourceKind): Source;
  lookups<Q extends Query, T>(source: Source<Q, T>): Source<Q, T>['lookup'];
  cacheReads<Q extends Query, T>(readCache: ReadCache<Q, T>): ReadCache<Q, T>;
  withinLookups<Q extends Query, T>(source: Source<Q, T>): Source<Q, T>;
}

/** The dependencies of the sources that query servers. */
export interface QueryOptions extends RdapOptions, ThrottleOptions {
  readonly log: Log;
  readonly tracing: LookupTracer;
  /** Whether the servers may have private addresses. */
  readonly allowPrivate: boolean;
  /** How many "not found" answers of a server count between two of its checks. */
  readonly maxUnverified: number;
  /** Chooses at random by default. */
  readonly chance?: Chance;
  /** Uses TCP by default. */
  readonly exchangeText?: ExchangeText;
}
