import { Problem, type CreditShortage } from '../domain/problems.ts';
import type { DomainName } from '../domain/domain-name.ts';
import type { Progress } from '../lookup/lookup-progress.ts';
import type { Account } from './account.ts';
import { priceOf, type PricedField } from './prices.ts';
import type { Ledger, Refused } from './store.ts';
import { derived, once } from '../shared/memoize.ts';

/** The cost of an operation, in credits. */
export interface Cost {
  readonly requested: number;
  readonly charged: number;
  readonly refunded: number;
  readonly remaining: number;
}

/** How an operation ended. */
export type OperationOutcome = 'completed' | 'aborted' | 'failed';

/** Meters one operation. */
export interface Meter {
  /** Returns the cost if the operation ended now. Throws `unavailable`. */
  currentCost(): Promise<Cost>;
  /**
   * Charges for the names with a verdict and refunds the rest; only the first call has an effect.
   * Durable when it resolves. `aborted`: the client disconnected, and lookups already sent are
   * charged too. `failed`: nothing was returned, and nothing is charged. Throws `unavailable`, and
   * `insufficient_credits` if no credits had to be reserved.
   */
  settle(outcome: OperationOutcome): Promise<Cost>;
  /**
   * Charges nothing if no credits were reserved, as no registry had to be queried. Resolves to
   * undefined if they were. Throws `unavailable`.
   */
  waive(): Promise<Cost | undefined>;
  /** Returns what a batch of objects required and the account lacked; undefined if none was refused. */
  readonly shortage?: () => CreditShortage | undefined;
}

/**
 * What earlier calls with the same idempotency key were charged. No other call with this key runs
 * in this process until it is released.
 */
export interface IdempotencyRecord {
  /** The highest price of a call with this key so far. */
  readonly charged: number;
  /**
   * Time of the first call, in milliseconds since the epoch; undefined if this is the first call.
   */
  readonly since: number | undefined;
  /** Binds the key, once no check can reject the call any more. Throws `idempotency_conflict`. */
  bind(): Promise<void>;
  /** Adds the price of this call and returns how much of it is not charged yet. */
  addCharge(amount: number): Promise<number>;
  /** Lets the next call with this key run. Call it after this call is settled. */
  release(): void;
}

/** The operation to meter. */
export interface MeterOptions {
  readonly payer: Account;
  readonly fields: readonly PricedField[];
  /** Returns whether a name costs nothing: `.test`, and names without a registry. */
  readonly isFree: (name: DomainName) => boolean;
  readonly progress: Progress;
  /**
   * All answers are cached and the response is buffered: the price is charged at the end, so no
   * credits need to be reserved.
   */
  readonly isChargedAtEnd: boolean;
  readonly idempotencyRecord?: IdempotencyRecord | undefined;
  /** Called as soon as it is certain that the account has enough credits. */
  readonly onCreditsAvailable?: () => void;
}

/**
 * Opens the meter of an operation before it runs. Throws `insufficient_credits` or `unavailable`;
 * the operation must then not run. An operation with cached answers only queries no registry, so it
 * may run first and be rejected when it is charged.
 */
export async function openMeter(ledger: Ledger, options: MeterOptions): Promise<Meter> {
  const bill = billOf(options);
  if (bill.requested === 0) return freeMeter((await ledger.balance(options.payer.id)).remaining);
  return options.isChargedAtEnd && !options.idempotencyRecord
    ? deferredMeter(ledger, options, bill)
    : reservingMeter(ledger, options, bill);
}

/** The price of an operation in progress. */
interface Bill {
  readonly requested: number;
  /** Returns the price if the operation ended now. */
  currentCharge(): number;
  /** Returns the final price after an outcome. */
  finalCharge(outcome: OperationOutcome): Promise<number>;
  cost(charged: number, remaining: number): Cost;
}

function billOf({ fields, isFree, progress, idempotencyRecord }: MeterOptions): Bill {
  const price = priceOf(fields, isFree);
  const isRepeat = idempotencyRecord?.since !== undefined;
  // A repeated call gets cached answers for free. The names that it queries again cost as much as a
  // call for only these names.
  const maxQueriedPrice = isRepeat ? price.charged((name) => !progress.stored.has(name)) : 0;
  const requested = Math.max(
    maxQueriedPrice,
    price.requested - (idempotencyRecord?.charged ?? 0),
    0,
  );
  // The lookup of a pending row continues after a complete response. If the client disconnects, it
  // continues only if it has been sent.
  const isDue = (name: DomainName, outcome: OperationOutcome) =>
    progress.answered.has(name) ||
    (outcome === 'aborted' ? progress.sent : progress.pending).has(name);
  const hasNoRecord = (name: DomainName) => progress.withoutRecord.has(name);
  const deliveredPrice = (outcome: OperationOutcome) =>
    outcome === 'failed' ? 0 : price.charged((name) => isDue(name, outcome), hasNoRecord);
  const queriedPrice = (outcome: OperationOutcome) =>
    !isRepeat || outcome === 'failed'
      ? 0
      : price.charged((name) => progress.queried.has(name) && isDue(name, outcome), hasNoRecord);
  return {
    requested,
    // Cached: it is read for each row of a stream, and many rows are resolved together.
    currentCharge: derived(
      () => progress.answered.size + progress.pending.size,
      () => Math.min(requested, deliveredPrice('completed')),
    ),
    finalCharge: async (outcome) =>
      Math.min(
        requested,
        idempotencyRecord
          ? await chargeUnderKey(idempotencyRecord, deliveredPrice(outcome), queriedPrice(outcome))
          : deliveredPrice(outcome),
      ),
    cost: (charged, remaining) => ({
      requested,
      charged,
      refunded: requested - charged,
      remaining,
    }),
  };
}

/**
 * Returns the price of a call with an idempotency key, from the price of its delivered names and of
 * the names that it queried.
 */
async function chargeUnderKey(
  { charged, addCharge }: IdempotencyRecord,
  deliveredPrice: number,
  queriedPrice: number,
): Promise<number> {
  const newlyCharged = await addCharge(deliveredPrice);
  // What was not charged when this call started but is now was charged by a concurrent call in
  // another process.
  const chargedMeanwhile = Math.max(deliveredPrice - newlyCharged - charged, 0);
  return Math.max(newlyCharged, queriedPrice - chargedMeanwhile);
}

function freeMeter(remaining: number): Meter {
  const zeroCost = async () => ({ requested: 0, charged: 0, refunded: 0, remaining });
  return { currentCost: zeroCost, settle: zeroCost, waive: zeroCost };
}

/** Reserves nothing: the charge at the end may be rejected. */
function deferredMeter(
  ledger: Ledger,
  { payer, onCreditsAvailable }: MeterOptions,
  { currentCharge, finalCharge, cost }: Bill,
): Meter {
  const costAfter = async (charged: number) =>
    cost(charged, (await ledger.balance(payer.id)).remaining - charged);
  let isWaived = false;
  const settle = once(async (outcome: OperationOutcome) => {
    const charged = isWaived ? 0 : await finalCharge(outcome);
    if (charged === 0) return costAfter(0);
    const { granted, balance } = await ledger.charge(payer.id, charged);
    if (!granted) throw insufficientCredits(charged, balance);
    onCreditsAvailable?.();
    return cost(charged, balance.remaining);
  });
  const waive = async () => {
    isWaived = true;
    return costAfter(0);
  };
  return { currentCost: () => costAfter(currentCharge()), settle, waive };
}

/** Reserves the full price and refunds the difference at the end. */
async function reservingMeter(
  ledger: Ledger,
  { payer, onCreditsAvailable }: MeterOptions,
  { requested, currentCharge, finalCharge, cost }: Bill,
): Promise<Meter> {
  const reserved = await ledger.reserve(payer.id, requested);
  if (!reserved.granted) throw insufficientCredits(requested, reserved.balance);
  onCreditsAvailable?.();
  // The price cannot be determined, so nothing is charged; the client gets an error.
  const refundAll = async (failure: unknown) => {
    await ledger.settle(reserved.reservation, 0);
    throw failure;
  };
  const settle = once(async (outcome: OperationOutcome) => {
    const charged = await finalCharge(outcome).catch(refundAll);
    const { remaining } = await ledger.settle(reserved.reservation, charged);
    return cost(charged, remaining);
  });
  // The difference is still reserved and will be refunded at the end.
  const currentCost = async () => {
    const charged = currentCharge();
    return cost(charged, reserved.balance.remaining + requested - charged);
  };
  return { currentCost, settle, waive: async () => undefined };
}

/** Returns the problem of an account that has too few credits left. */
export function insufficientCredits(
  required: number,
  { remaining, resetsAt }: Refused['balance'],
): Problem {
  const price = required === 1 ? '1 credit' : `${required} credits`;
  return new Problem(
    'insufficient_credits',
    `This request costs ${price}, but you have ${remaining} left this month.`,
    {
      credits: { required, remaining, resetsAt },
    },
  );
}
