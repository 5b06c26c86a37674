import type { Clock } from '../clock.ts';
import { roundedMs, type Outcome } from '../domain/outcome.ts';
import type { Problem } from '../domain/problems.ts';
import { siteLookup, type SiteData, type SiteLookup } from './lookups.ts';
import type { SiteAnswer, SiteReader, SiteRequest } from './site-facts.ts';
import type { PlannedSiteLookup, SelectedSiteLookup, SitePlan } from './site-plan.ts';
import type { SiteTarget } from './site-target.ts';

/** Meters the site lookups of one operation. */
export interface SiteMeter {
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
  readonly onOutcome: (lookup: SiteLookup, outcome: Outcome<unknown>) => void;
}

/** The site lookups of one operation, each of which runs once. */
export class SiteLookups {
  readonly #options: SiteLookupOptions;
  readonly #outcomes = new Map<string, Promise<Outcome<unknown>>>();

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
  ): Promise<Outcome<SiteData<L>>> {
    const planned = this.#options.plan.find(selected, target);
    const outcome = this.#outcomes.get(planned.id) ?? this.#lookUp(planned);
    this.#outcomes.set(planned.id, outcome);
    // The lookup is part of the id.
    return outcome as Promise<Outcome<SiteData<L>>>;
  }

  async #lookUp(planned: PlannedSiteLookup): Promise<Outcome<unknown>> {
    const { clock, meter, reader, onFree, onOutcome, request } = this.#options;
    const { id, lookup, query, maxAge } = planned;
    const { read, isCharged } = siteLookup(lookup);
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
      : await read(reader, query, maxAge, { ...caller, onSent });
    const outcome = outcomeOf(answer, maxAge, clock.elapsed() - startedAt);
    const isPaid = price > 0 && outcome.data !== undefined && isCharged(outcome.data);
    if (isPaid) meter?.recordAnswered(id, price);
    // What was sent for a caller that has disconnected since is charged.
    else if (!caller.signal.aborted) meter?.recordFailed(id);
    if (isSent && !isPaid) onFree(lookup);
    onOutcome(lookup, outcome);
    return outcome;
  }

  #priceOf(planned: PlannedSiteLookup): number {
    const { reader, meter } = this.#options;
    const isFree = reader.isSandbox(planned.query.target) || this.#refusalOf(planned) !== undefined;
    return isFree || !meter ? 0 : siteLookup(planned.lookup).price;
  }

  #refusalOf({ lookup, query }: PlannedSiteLookup): Problem | undefined {
    return this.#options.reader.refusalOf(siteLookup(lookup).fact, query.target);
  }
}

/** An answer, or why nothing was read. */
type Result = SiteAnswer<unknown> | { readonly problem: Problem; readonly cached: boolean };

/**
 * Returns the outcome of a lookup. `maxAge`: the maximum age that the caller accepts, in seconds.
 */
function outcomeOf(
  result: Result,
  maxAge: number | undefined,
  latencyMs: number,
): Outcome<unknown> {
  const common = { cached: result.cached, stale: false, latencyMs: roundedMs(latencyMs) };
  const checkedAt = 'checkedAt' in result ? result.checkedAt : undefined;
  if ('problem' in result)
    return {
      ...common,
      data: undefined,
      problem: result.problem,
      checkedAt,
      freshUntil: undefined,
    };
  const { data, freshUntil } = result;
  return {
    ...common,
    data,
    problem: undefined,
    checkedAt,
    // HTTP caches must not retain the result for longer than the caller accepts.
    freshUntil: Math.min(freshUntil, result.checkedAt + (maxAge ?? Infinity) * 1000),
  };
}
