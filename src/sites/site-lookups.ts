import type { Clock } from '../clock.ts';
import { parseDomainName } from '../domain/domain-name.ts';
import { Problem } from '../domain/problems.ts';
import type { PageVisit } from './page/page-visit.ts';
import type { SiteAnswer, SiteFact, SiteQuery, SiteReader, SiteRequest } from './site-facts.ts';
import { homePageOf, type SiteTarget } from './site-target.ts';
import {
  isAnswered,
  outcomeOf,
  type SiteData,
  type SiteOutcome,
  type TechnologyData,
} from './site-outcome.ts';
import type { PlannedSiteLookup, SelectedSiteLookup, SiteLookup, SitePlan } from './site-plan.ts';

/** Meters the site lookups of one operation. */
export interface SiteMeter {
  /** Returns the price of a lookup, in credits. */
  priceOf(lookup: SiteLookup): number;
  /** Records that a site was contacted for a lookup. */
  recordSent(id: string, credits: number): void;
  /** Records that a lookup was answered. */
  recordAnswered(id: string, credits: number): void;
  /** Records that a lookup failed, so that it is not charged. */
  recordFailed(id: string): void;
}

/** What the lookups of one operation need. */
export interface SiteLookupOptions {
  readonly plan: SitePlan;
  readonly reader: SiteReader;
  readonly clock: Clock;
  /** Returns the request of lookups that start now. */
  readonly request: () => SiteRequest;
  /** Undefined for a caller without a key. */
  readonly meter: SiteMeter | undefined;
  /** Called for each lookup that contacted servers and is not charged. */
  readonly onFree: (lookup: SiteLookup) => void;
  /** Called with the outcome of each lookup. */
  readonly onOutcome: (lookup: SiteLookup, outcome: SiteOutcome<unknown>) => void;
}

/** The site lookups of one operation, each of which runs once. */
export class SiteLookups {
  readonly #options: SiteLookupOptions;
  readonly #outcomes = new Map<string, Promise<SiteOutcome<unknown>>>();

  constructor(options: SiteLookupOptions) {
    this.#options = options;
  }

  /** Returns the current time, in epoch ms. */
  now(): number {
    return this.#options.clock.now();
  }

  /** The price of all lookups that are planned, in credits. */
  get price(): number {
    return this.#options.plan.lookups.reduce((sum, planned) => sum + this.#priceOf(planned), 0);
  }

  /**
   * Returns the outcome of a lookup of the plan, which starts with the first call. Rejects only if
   * the gateway fails.
   */
  get<L extends SiteLookup>(
    selected: SelectedSiteLookup & { readonly lookup: L },
    target: SiteTarget,
  ): Promise<SiteOutcome<SiteData[L]>> {
    const planned = this.#options.plan.find(selected, target);
    const outcome = this.#outcomes.get(planned.id) ?? this.#lookUp(planned);
    this.#outcomes.set(planned.id, outcome);
    // The lookup is part of the id.
    return outcome as Promise<SiteOutcome<SiteData[L]>>;
  }

  async #lookUp(planned: PlannedSiteLookup): Promise<SiteOutcome<unknown>> {
    const { clock, meter, onFree, onOutcome, request } = this.#options;
    const { id, lookup, maxAge } = planned;
    const startedAt = clock.elapsed();
    const price = this.#priceOf(planned);
    const refusal = this.#refusalOf(planned);
    let isSent = false;
    const onSent = () => {
      isSent = true;
      meter?.recordSent(id, price);
    };
    const caller = request();
    const answer = refusal
      ? { problem: refusal, cached: false }
      : await this.#read(planned, { ...caller, onSent });
    const outcome = outcomeOf(answer, maxAge, clock.elapsed() - startedAt);
    const isCharged = price > 0 && isAnswered(lookup, outcome);
    if (isCharged) meter?.recordAnswered(id, price);
    // What was sent for a caller that has disconnected since is charged.
    else if (!caller.signal.aborted) meter?.recordFailed(id);
    if (isSent && !isCharged) onFree(lookup);
    onOutcome(lookup, outcome);
    return outcome;
  }

  #priceOf(planned: PlannedSiteLookup): number {
    const { reader, meter } = this.#options;
    const isFree = reader.isSandbox(planned.query.target) || this.#refusalOf(planned) !== undefined;
    return isFree ? 0 : (meter?.priceOf(planned.lookup) ?? 0);
  }

  #refusalOf({ lookup, query }: PlannedSiteLookup): Problem | undefined {
    return this.#options.reader.refusalOf(factOf(lookup), query.target);
  }

  async #read(
    { lookup, query, maxAge }: PlannedSiteLookup,
    request: SiteRequest,
  ): Promise<SiteAnswer<unknown>> {
    const { reader } = this.#options;
    if (lookup === 'technologies') return this.#readTechnologies(query, maxAge, request);
    if (lookup === 'categories')
      return withoutUnreadable(await reader.read('page', query, maxAge, request));
    return reader.read(factOf(lookup), query, maxAge, request);
  }

  async #readTechnologies(
    query: SiteQuery,
    maxAge: number | undefined,
    request: SiteRequest,
  ): Promise<SiteAnswer<TechnologyData>> {
    const { reader } = this.#options;
    const visit = withoutUnreadable(await reader.read('page', query, maxAge, request));
    if ('problem' in visit) return visit;
    const target = hostThatSent(visit.data);
    const dns = target && (await reader.read('dns', { target }, maxAge, request));
    return { ...visit, data: { visit: visit.data, dns: dns && 'data' in dns ? dns.data : null } };
  }
}

/** Returns the fact that a lookup reads. */
function factOf(lookup: SiteLookup): SiteFact {
  switch (lookup) {
    case 'identity':
    case 'technologies':
    case 'categories':
      return 'page';
    case 'subdomains':
      return 'certificates';
    default:
      return lookup;
  }
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

/** Returns the problem of a page as that of the answer, for lookups that have no result without a page. */
function withoutUnreadable(answer: SiteAnswer<PageVisit>): SiteAnswer<PageVisit> {
  if ('problem' in answer || !answer.data.problem) return answer;
  const { code, detail } = answer.data.problem;
  const { cached, checkedAt } = answer;
  return { cached, checkedAt, problem: new Problem(code, detail) };
}
