import { workMs, type WorkBudget } from '../accounts/work-limit.ts';
import type { DomainName } from '../domain/names/domain-name.ts';
import { Problem, resultOrProblem } from '../domain/problems.ts';
import { includesRecord, type Detail } from '../domain/source.ts';
import { unresolvedOutcome, type LookupOutcome } from '../lookup/lookup-outcome.ts';
import type { LookupPlan, PlannedRow } from '../lookup/lookup-plan.ts';
import type { Lookup } from '../lookup/lookup.ts';
import { createRow, type DomainRow } from '../lookup/row.ts';
import type { Charges } from './charging/charges.ts';
import { prices } from './charging/prices.ts';

interface LaterNamesOptions {
  readonly plan: LookupPlan;
  readonly lookup: Lookup;
  /** The maximum number of names in one operation. */
  readonly maxNames: number;
  readonly caller: { readonly work: WorkBudget; readonly signal: () => AbortSignal };
  /** Undefined for a caller without a key. */
  readonly charges: Charges | undefined;
}

/** The names of one operation that are not its arguments, such as those of changes. */
export class LaterNames {
  readonly #options: LaterNamesOptions;
  readonly #rows = new Map<string, DomainRow>();

  constructor(options: LaterNamesOptions) {
    this.#options = options;
  }

  /**
   * Returns the row of a name. It is priced like a single name, and looked up, when its outcome is
   * requested: once in an operation, or each time if `isRepeated`.
   */
  row(domain: DomainName, detail: Detail, isRepeated = false): DomainRow {
    const key = `${detail} ${domain}`;
    const existing = isRepeated ? undefined : this.#rows.get(key);
    if (existing) return existing;

    const planned = this.#options.plan.later(domain, detail);
    const row = createRow(planned, () => this.#lookUp(planned, detail));
    if (!isRepeated) this.#rows.set(key, row);

    return row;
  }

  async #lookUp({ domain, target }: PlannedRow, detail: Detail): Promise<LookupOutcome> {
    if ('problem' in target) return unresolvedOutcome(target.problem);

    const { plan, lookup, caller, ...options } = this.#options;
    const charges = plan.isFree(target.query.name.ascii) ? undefined : options.charges;
    const refusal =
      this.#refusal() ??
      (charges
        ? await charges.reserve(priceOf(detail))
        : resultOrProblem(() => caller.work.spendFree(workMs.sandboxRecord)));
    if (refusal) return unresolvedOutcome(refusal);

    const id = `name ${domain}`;
    charges?.recordSent(id, priceOf(detail));
    const outcome = await lookup.lookUp(target);
    const hasRecord = outcome.problem?.code !== 'no_rdap';

    if (outcome.data) charges?.recordAnswered(id, priceOf(hasRecord ? detail : 'verdict'));
    else if (!caller.signal().aborted) charges?.recordFailed(id);
    return outcome;
  }

  #refusal(): Problem | undefined {
    const { maxNames } = this.#options;
    if (this.#rows.size <= maxNames) return undefined;
    const detail = `This request looks up ${this.#rows.size} names, but at most ${maxNames} are allowed.`;
    return new Problem('too_many_lookups', detail);
  }
}

function priceOf(detail: Detail): number {
  return prices[includesRecord(detail) ? 'record' : 'single'](1);
}
