import { parseDomainName } from '../domain/domain-name.ts';
import { Problem } from '../domain/problems.ts';
import type { DnsRecords } from './dns/dns-records.ts';
import type { PageVisit } from './page/page-visit.ts';
import type {
  SiteAnswer,
  SiteFact,
  SiteFacts,
  SiteQuery,
  SiteReader,
  SiteRequest,
} from './site-facts.ts';
import { homePageOf, type SiteTarget } from './site-target.ts';

/** Reads the data of a site lookup. `maxAge`: the maximum age of a cached fact, in seconds. */
type ReadLookup<T> = (
  reader: SiteReader,
  query: SiteQuery,
  maxAge: number | undefined,
  request: SiteRequest,
) => Promise<SiteAnswer<T>>;

/** What callers select and pay for. */
interface SiteLookupRow<T> {
  /** In credits. */
  readonly price: number;
  /** Its processor time, in milliseconds; that of the sandbox included. */
  readonly workMs: number;
  /** `page`: about the page that the caller named. `host`: about its host. */
  readonly about: 'host' | 'page';
  /** The fact that it reads first; without it, the lookup is refused. */
  readonly fact: SiteFact;
  readonly read: ReadLookup<T>;
  /** Returns whether the data is a result that is charged. */
  isCharged(data: T): boolean;
}

type LookupTerms<T> = Pick<SiteLookupRow<T>, 'price' | 'workMs' | 'about'> &
  Partial<Pick<SiteLookupRow<T>, 'isCharged'>>;

/** What the technologies of a site are recognized by. */
export interface TechnologyData {
  readonly visit: PageVisit;
  /** The records of the host that sent the page; null if they could not be read. */
  readonly dns: DnsRecords | null;
}

const isRead = ({ problem }: PageVisit) => problem === null;

/**
 * The site lookups. The plan of an operation, its prices and charges, and the refusals of settings
 * are read from this table; GraphQL has a field of the same name.
 */
export const siteLookups = {
  robots: lookup('robots', {
    price: 1,
    workMs: 10,
    about: 'host',
    isCharged: ({ access }) => access !== 'disallow_all',
  }),
  tls: lookup('tls', { price: 10, workMs: 30, about: 'host' }),
  page: lookup('page', { price: 2, workMs: 12, about: 'page', isCharged: isRead }),
  identity: lookup('page', { price: 2, workMs: 15, about: 'host', isCharged: isRead }),
  agentSignals: lookup('agentSignals', {
    price: 3,
    workMs: 22,
    about: 'page',
    isCharged: ({ outcome }) => outcome !== 'unavailable',
  }),
  technologies: derived('page', { price: 3, workMs: 13, about: 'page' }, readTechnologies),
  categories: derived('page', { price: 3, workMs: 11, about: 'page' }, readReadablePage),
  dns: lookup('dns', { price: 1, workMs: 1, about: 'host' }),
  forSale: lookup('forSale', { price: 1, workMs: 1, about: 'host' }),
  certificates: lookup('certificates', { price: 2, workMs: 2, about: 'host' }),
  subdomains: lookup('certificates', { price: 4, workMs: 2, about: 'host' }),
} satisfies Record<string, SiteLookupRow<unknown>>;

/** The name of a site lookup. */
export type SiteLookup = keyof typeof siteLookups;

/** The data of a site lookup. */
export type SiteData<L extends SiteLookup> =
  (typeof siteLookups)[L] extends SiteLookupRow<infer T> ? T : never;

/** Returns the lookup that a field needs; undefined if it needs none. */
export function siteLookupOf(field: string): SiteLookup | undefined {
  // The networks of these contacts are those of the addresses.
  if (field === 'abuseContacts') return 'dns';
  return Object.hasOwn(siteLookups, field) ? (field as SiteLookup) : undefined;
}

/** Returns the row of a lookup, for code that treats all of them alike. */
export function siteLookup(name: SiteLookup): SiteLookupRow<unknown> {
  return siteLookups[name];
}

/** Declares a lookup whose data is a fact as it was read. */
function lookup<F extends SiteFact>(
  fact: F,
  terms: LookupTerms<SiteFacts[F]>,
): SiteLookupRow<SiteFacts[F]> {
  return derived(fact, terms, (reader, query, maxAge, request) =>
    reader.read(fact, query, maxAge, request),
  );
}

/** Declares a lookup that reads its data from one or more facts. */
function derived<T>(fact: SiteFact, terms: LookupTerms<T>, read: ReadLookup<T>): SiteLookupRow<T> {
  return { isCharged: () => true, ...terms, fact, read };
}

async function readTechnologies(
  reader: SiteReader,
  query: SiteQuery,
  maxAge: number | undefined,
  request: SiteRequest,
): Promise<SiteAnswer<TechnologyData>> {
  const visit = await readReadablePage(reader, query, maxAge, request);
  if ('problem' in visit) return visit;
  const target = hostThatSent(visit.data);
  const dns = target && (await reader.read('dns', { target }, maxAge, request));
  return { ...visit, data: { visit: visit.data, dns: dns && 'data' in dns ? dns.data : null } };
}

/** Reads a page for a lookup that has no result without one: its problem is that of the answer. */
async function readReadablePage(
  reader: SiteReader,
  query: SiteQuery,
  maxAge: number | undefined,
  request: SiteRequest,
): Promise<SiteAnswer<PageVisit>> {
  const answer = await reader.read('page', query, maxAge, request);
  if ('problem' in answer || !answer.data.problem) return answer;
  const { code, detail } = answer.data.problem;
  const { cached, checkedAt } = answer;
  return { cached, checkedAt, problem: new Problem(code, detail) };
}

/** Returns the host that sent a page; undefined for an IP address. */
function hostThatSent({ finalUrl, requestedUrl }: PageVisit): SiteTarget | undefined {
  const { hostname } = new URL(finalUrl ?? requestedUrl);
  try {
    return homePageOf(parseDomainName(hostname));
  } catch {
    return undefined;
  }
}
