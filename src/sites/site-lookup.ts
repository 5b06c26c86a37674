import type { Fact, SiteReader } from './fact.ts';
import type { SiteAnswer, SiteQuery, SiteRequest } from './site-facts.ts';

/** Reads the data of a site lookup. `maxAge`: the maximum age of a cached fact, in seconds. */
export type ReadLookup<T> = (
  reader: Pick<SiteReader, 'read'>,
  query: SiteQuery,
  maxAge: number | undefined,
  request: SiteRequest,
) => Promise<SiteAnswer<T>>;

/** What callers select and pay for. */
export interface SiteLookup<T = unknown> {
  /** Name of the field in GraphQL. */
  readonly name: string;
  /** Price in credits. */
  readonly price: number;
  /** Processor time in milliseconds, which includes the sandbox. */
  readonly workMs: number;
  /** `page`: about the page that the caller named. `host`: about its host. */
  readonly about: 'host' | 'page';
  /** The fact that it reads first; without it, the lookup is refused. */
  readonly fact: Fact<unknown>;
  readonly read: ReadLookup<T>;
  /** Throws a problem if the arguments of the field are invalid. */
  check?(args: PageArguments): void;
  /** Returns whether the data is a result that is charged; by default, it is. */
  isCharged?(data: T): boolean;
}

/** The arguments of a field with a list. */
export interface PageArguments {
  readonly first?: number | null;
  readonly after?: string | null;
}

/** Declares a lookup whose data is a fact as it was read. */
export function lookupOf<T>(
  fact: Fact<T>,
  terms: Omit<SiteLookup<T>, 'name' | 'fact' | 'read'> & { readonly name?: string },
): SiteLookup<T> {
  const read: ReadLookup<T> = (reader, ...query) => reader.read(fact, ...query);
  return { name: fact.name, ...terms, fact, read };
}
