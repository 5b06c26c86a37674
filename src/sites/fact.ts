import type { Clock } from '../clock.ts';
import type { CertificatesReaderOptions } from './certificates/certificates-reader.ts';
import type { RecordsOptions } from './dns/read-records.ts';
import type { SiteClient } from './site-client.ts';
import type { ReadFact, SiteAnswer, SiteQuery, SiteRequest } from './site-facts.ts';
import type { TlsReaderOptions } from './tls/tls-reader.ts';

/** How a fact about sites is read, keyed and cached. */
export interface Fact<T> {
  readonly name: string;
  /** `site`: the site, which `SITE_LOOKUPS=off` forbids. `search`: the search of certificates. */
  readonly from: 'site' | 'dns' | 'search';
  /** Returns what the fact is about: equal queries share one cached fact. */
  keyOf(query: SiteQuery): string;
  /** Returns whether the site failed, or a part of what was read of it, and may be readable soon. */
  isTemporary?(data: T): boolean;
  /** The maximum age that a caller may request, in ms. */
  readonly maxAgeMs?: number;
  /** Loads the reader, when the fact is first read. */
  open(parts: FactParts): Promise<ReadFact<T>>;
  /** Returns the fact about a site of the sandbox; without it, it is read of the sandbox's responses. */
  sandbox?(query: SiteQuery, now: number): Promise<T>;
}

/** What the readers of facts share. */
export interface FactParts {
  readonly clock: Clock;
  readonly client: SiteClient;
  readonly records: RecordsOptions;
  readonly tls: TlsReaderOptions;
  /** The search of certificates; undefined if it is off. */
  readonly search: CertificatesReaderOptions | undefined;
  /** Reads another fact, possibly from the cache. */
  readonly read: SiteReader['read'];
}

/** Reads facts about sites, with a cache that all operations share. */
export interface SiteReader {
  /**
   * Reads a fact. Rejects only if the gateway itself fails. `maxAge`: the maximum age of a cached
   * fact, in seconds; by default, the age for which it stays fresh.
   */
  read<T>(
    fact: Fact<T>,
    query: SiteQuery,
    maxAge: number | undefined,
    request: SiteRequest,
  ): Promise<SiteAnswer<T>>;
}

/** The key of a fact about a host. */
export const keyOfHost = ({ target }: SiteQuery): string => target.host;
/** The key of a fact about a page. */
export const keyOfPage = ({ target: { isExact, url } }: SiteQuery): string =>
  `${isExact} ${url.href}`;
