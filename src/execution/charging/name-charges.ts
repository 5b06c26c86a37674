import type { IdempotencyRecord } from '../../accounts/idempotency.ts';
import type { DomainName } from '../../domain/names/domain-name.ts';
import type { LookupProgress } from '../../lookup/lookup-progress.ts';
import { derived } from '../../shared/memoize.ts';
import type { NameCharges, OperationOutcome } from './charges.ts';
import { priceOf, type PricedField } from './prices.ts';
import type { Resumption } from '../resumption.ts';

/** What determines the price of names. */
interface NameChargeOptions {
  readonly fields: readonly PricedField[];
  /** Returns whether a name costs nothing: `.test`, and names without a registry. */
  readonly isFree: (name: DomainName) => boolean;
  readonly progress: Omit<LookupProgress, `record${string}`>;
  readonly idempotencyRecord?: IdempotencyRecord | undefined;
  readonly resumption?: Resumption | undefined;
}

/** Returns what the names of an operation cost. */
export function nameCharges({
  fields,
  isFree,
  progress,
  idempotencyRecord,
  resumption,
}: NameChargeOptions): NameCharges {
  const price = priceOf(fields, isFree);
  const rows = resumption?.remaining.names ?? [];
  const rowsBefore = (resumption?.field.names.length ?? 0) - rows.length;
  const whole = resumption && rowsBefore > 0 ? priceOf([resumption.field], isFree) : price;

  // What else was looked up for the rows before is not known: as much as for the others.
  const withRowsBefore = (others: number, count: number) =>
    count > 0 ? Math.ceil((others * (rowsBefore + count)) / count) : others;
  const isRepeat = idempotencyRecord?.since !== undefined;

  // A repeated call gets cached answers for free. The names that it queries again cost as much as a
  // call for only these names.
  const maxQueriedPrice = isRepeat ? price.charged((name) => !progress.stored.has(name)) : 0;
  const requested = Math.max(
    maxQueriedPrice,
    price.requested - (idempotencyRecord?.charged ?? 0),
    0,
  );
  const isDelivered = (name: DomainName) =>
    progress.answered.has(name) || progress.pending.has(name);

  // The lookup of a pending row continues after a complete response. If the client disconnects, it
  // continues only if it has been sent.
  const isDue = (name: DomainName, outcome: OperationOutcome) =>
    progress.answered.has(name) ||
    progress.sent.has(name) ||
    (outcome === 'completed' && progress.pending.has(name));

  const hasNoRecord = (name: DomainName) => progress.withoutRecord.has(name);
  const duePrice = (outcome: OperationOutcome) =>
    outcome === 'failed' ? 0 : price.charged((name) => isDue(name, outcome), hasNoRecord);

  const queriedPrice = (outcome: OperationOutcome) =>
    outcome === 'failed'
      ? 0
      : price.charged((name) => progress.queried.has(name) && isDue(name, outcome), hasNoRecord);

  return {
    requested,
    // Cached: it is read for each row of a stream, and many rows are resolved together.
    current: derived(
      () => progress.answered.size + progress.pending.size,
      () => Math.min(requested, price.charged(isDelivered, hasNoRecord)),
    ),
    final(outcome) {
      const due = duePrice(outcome);
      if (!idempotencyRecord) return Math.min(requested, due);
      const queried = isRepeat ? queriedPrice(outcome) : 0;
      return chargeUnderKey(idempotencyRecord, due, queried).then((newPrice) =>
        Math.min(requested, newPrice),
      );
    },
    queried: queriedPrice,
    wholeRequested: (others) => whole.requested + withRowsBefore(others, rows.length),
    whole(outcome, others) {
      const due = rows.filter(({ domain }) => isDue(domain as DomainName, outcome)).length;
      const ofNames = (name: DomainName) => resumption?.had(name) === true || isDue(name, outcome);
      return whole.charged(ofNames, hasNoRecord) + withRowsBefore(others, due);
    },
  };
}

/**
 * Returns the price of a call with an idempotency key, from the prices of its names that are due and
 * of the names that it queried.
 */
async function chargeUnderKey(
  { charged, addCharge }: IdempotencyRecord,
  duePrice: number,
  queriedPrice: number,
): Promise<number> {
  const newlyCharged = await addCharge(duePrice);
  // What was not charged when this call started but is now was charged by a concurrent call in
  // another process.
  const chargedMeanwhile = Math.max(duePrice - newlyCharged - charged, 0);
  return Math.max(newlyCharged, queriedPrice - chargedMeanwhile);
}
