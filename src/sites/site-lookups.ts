import type { Clock } from '../clock.ts';
import { roundedMs, type Outcome } from '../domain/outcome.ts';
import type { Problem } from '../domain/problems.ts';
import type { ExtensionLookups, ExtensionOperation } from '../domain/extension.ts';
import { siteLookup, type SiteData, type SiteLookup } from './lookups.ts';
import type { DisposableMailList } from './mail/disposable-mail.ts';
import type { SiteAnswer, SiteReader } from './site-facts.ts';
import type { PlannedSiteLookup, SelectedSiteLookup, SitePlan } from './site-plan.ts';
import type { SiteTarget } from './site-target.ts';

/** The parts of the gateway that site lookups use. */
export interface SiteParts {
  readonly reader: SiteReader;
  readonly disposableMail: DisposableMailList;
  readonly clock: Clock;
  /** Called with the outcome of each lookup. */
  readonly onOutcome: (lookup: SiteLookup, outcome: Outcome<unknown>) => void;
}

/** The site lookups of one operation, each of which runs once. */
export class SiteLookups implements ExtensionLookups {
  readonly #plan: SitePlan;
  readonly #parts: SiteParts;
  readonly #operation: ExtensionOperation;
  readonly #outcomes = new Map<string, Promise<Outcome<unknown>>>();

  constructor(plan: SitePlan, parts: SiteParts, operation: ExtensionOperation) {
    this.#plan = plan;
    this.#parts = parts;
    this.#operation = operation;
  }

  get disposableMail(): DisposableMailList {
    return this.#parts.disposableMail;
  }

  /** Returns the current time, in epoch ms. */
  now(): number {
    return this.#parts.clock.now();
  }

  get count(): number {
    return this.#plan.lookups.length;
  }

  /** The price of all lookups that are planned, in credits. */
  get price(): number {
    return this.#plan.lookups.reduce((sum, planned) => sum + this.#priceOf(planned), 0);
  }

  /**
   * Returns the outcome of a lookup of the plan, which starts with the first call. Rejects only if
   * the gateway fails.
   */
  get<L extends SiteLookup>(
    selected: SelectedSiteLookup & { readonly lookup: L },
    target: SiteTarget,
  ): Promise<Outcome<SiteData<L>>> {
    const planned = this.#plan.find(selected, target);
    const outcome = this.#outcomes.get(planned.id) ?? this.#lookUp(planned);
    this.#outcomes.set(planned.id, outcome);
    // The lookup is part of the id.
    return outcome as Promise<Outcome<SiteData<L>>>;
  }

  async #lookUp(planned: PlannedSiteLookup): Promise<Outcome<unknown>> {
    const { clock, reader } = this.#parts;
    const { meter, request, onFree } = this.#operation;
    const { id, lookup, query, maxAge } = planned;
    const { read, isCharged, workMs } = siteLookup(lookup);
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
    if (isSent && !isPaid) onFree(workMs);
    this.#parts.onOutcome(lookup, outcome);
    this.#operation.onOutcome(outcome);
    return outcome;
  }

  #priceOf(planned: PlannedSiteLookup): number {
    const { reader } = this.#parts;
    const isFree = reader.isSandbox(planned.query.target) || this.#refusalOf(planned) !== undefined;
    return isFree || !this.#operation.meter ? 0 : siteLookup(planned.lookup).price;
  }

  #refusalOf({ lookup, query }: PlannedSiteLookup): Problem | undefined {
    return this.#parts.reader.refusalOf(siteLookup(lookup).fact, query.target);
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
