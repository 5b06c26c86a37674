import { workMs, type WorkBudget } from '../accounts/work-limit.ts';
import type { Clock } from '../clock.ts';
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
  readonly clock: Clock;
  /** Undefined for a caller without a key. */
  readonly charges: Charges | undefined;
}

/** The names of one operation that are not its arguments, such as those of changes. */
export class LaterNames {
  readonly #options: LaterNamesOptions;
  readonly #rows = new Map<string, DomainRow>();
  /** The ids of what is reserved: a later lookup of the same is paid with it. */
  readonly #reserved = new Set<string>();

  constructor(options: LaterNamesOptions) {
    this.#options = options;
  }

  /**
   * Returns the row of a name. It is priced like a single name, and looked up, when its outcome is
   * requested: once in an operation. In a stream, each change has a row, with an answer since
   * `seenAt`, in epoch ms: old changes share one.
   */
  row(domain: DomainName, detail: Detail, seenAt?: number): DomainRow {
    const key = `${detail} ${domain}`;
    const existing = seenAt === undefined ? this.#rows.get(key) : undefined;
    if (existing) return existing;

    const { plan, clock } = this.#options;
    const maxAge = seenAt === undefined ? undefined : Math.max(clock.now() - seenAt, 0) / 1000;
    const planned = plan.later(domain, detail, maxAge);
    const row = createRow(planned, () => this.#lookUp(planned, detail, seenAt !== undefined));
    if (seenAt === undefined) this.#rows.set(key, row);

    return row;
  }

  async #lookUp(
    { domain, target }: PlannedRow,
    detail: Detail,
    mayBeStored: boolean,
  ): Promise<LookupOutcome> {
    if ('problem' in target) return unresolvedOutcome(target.problem);

    const { registry, query } = target;
    const { plan, lookup, caller, ...options } = this.#options;
    const charges = plan.isFree(query.name.ascii) ? undefined : options.charges;
    const [name, record] = partsOf(domain, detail);
    const parts = [name, record].filter((part) => part !== undefined);
    const refusal =
      this.#refusal() ??
      (charges
        ? await this.#reserve(charges, parts)
        : resultOrProblem(() => caller.work.spendFree(workMs.sandboxRecord)));
    if (refusal) return unresolvedOutcome(refusal);

    for (const { id, price } of parts) charges?.recordSent(id, price);

    const reads = mayBeStored ? await registry.readCache([query]) : undefined;
    const outcome = await lookup.lookUp(target, reads?.get(query.name.ascii));
    const isRecorded = outcome.problem?.code !== 'no_rdap';
    for (const part of parts)
      if (outcome.data && (part === name || isRecorded))
        charges?.recordAnswered(part.id, part.price);
      else if (!caller.signal().aborted) charges?.recordFailed(part.id);

    return outcome;
  }

  /** Reserves what is not reserved yet. Returns the problem that prevents it. */
  async #reserve(charges: Charges, parts: readonly PaidPart[]): Promise<Problem | undefined> {
    const due = parts.filter(({ id }) => !this.#reserved.has(id));
    if (due.length === 0) return undefined;

    const refusal = await charges.reserve(due.reduce((sum, { price }) => sum + price, 0));
    if (!refusal) for (const { id } of due) this.#reserved.add(id);
    return refusal;
  }

  #refusal(): Problem | undefined {
    const { maxNames } = this.#options;
    if (this.#rows.size <= maxNames) return undefined;
    const detail = `This request looks up ${this.#rows.size} names, but at most ${maxNames} are allowed.`;
    return new Problem('too_many_lookups', detail);
  }
}

interface PaidPart {
  readonly id: string;
  readonly price: number;
}

/** Returns what is paid for a name and for its record, each once, however often they are looked up. */
function partsOf(domain: string, detail: Detail) {
  const [price, ofRecord] = [priceOf('verdict'), priceOf(detail) - priceOf('verdict')];
  const record = ofRecord > 0 ? { id: `record of ${domain}`, price: ofRecord } : undefined;
  return [{ id: `name ${domain}`, price }, record] as const;
}

function priceOf(detail: Detail): number {
  return prices[includesRecord(detail) ? 'record' : 'single'](1);
}
