import { Problem } from '../domain/problems.ts';
import type { DomainName } from '../domain/domain-name.ts';
import type { Progress } from '../lookup/lookup-progress.ts';
import type { Account } from './account.ts';
import { priceOf, type PricedField } from './prices.ts';
import type { Ledger, Refused } from './store.ts';
import { derived, once } from '../memoize.ts';

/** What an operation costs its account, in credits. */
export interface Cost {
  readonly requested: number;
  readonly charged: number;
  readonly refunded: number;
  readonly remaining: number;
}

/** How an operation ended. */
export type OperationOutcome = 'completed' | 'aborted' | 'failed';

/** Counts one operation. */
export interface Meter {
  /** What it would cost if it ended now. Throws `unavailable`. */
  currentCost(): Promise<Cost>;
  /**
   * Charges for the names that got a verdict and gives the rest back, once; durable when it resolves. `cut`: the client left, and what was
   * sent on its behalf is owed too. `failed`: there is no answer, and nothing is owed. Throws `insufficient_credits` where nothing had to be
   * reserved, and `unavailable`.
   */
  settle(outcome: OperationOutcome): Promise<Cost>;
  /** Charges nothing, where nobody was asked and nothing was set aside; undefined where it was. Throws `unavailable`. */
  waive(): Promise<Cost | undefined>;
}

/** What earlier calls under the same idempotency key were charged. No other call runs under the key, in this process, until it is released. */
export interface IdempotencyRecord {
  /** The most that a call under the key was worth so far. */
  readonly charged: number;
  /** When the first of them came, in milliseconds since the epoch; undefined when this is the first. */
  readonly since: number | undefined;
  /** Binds the key, when nothing is in the way of the call any more. Throws `idempotency_conflict`. */
  bind(): Promise<void>;
  /** Counts what this call is worth, and says how much of that is not charged yet. */
  addCharge(amount: number): Promise<number>;
  /** Lets the next call under the key run. To be called once this one is settled. */
  release(): void;
}

export interface MeterOptions {
  readonly payer: Account;
  readonly fields: readonly PricedField[];
  /** Names that cost nothing: `.test`, and those that nobody can be asked about. */
  readonly isFree: (name: DomainName) => boolean;
  readonly progress: Progress;
  /** All of it is remembered and sent in one piece: the price is owed at the end, and nothing needs to be set aside. */
  readonly isChargedAtEnd: boolean;
  readonly idempotencyRecord?: IdempotencyRecord | undefined;
  /** Called once the account is found to have the credits that the operation costs. */
  readonly onCreditsAvailable?: () => void;
}

/**
 * Opens the meter of an operation before it runs. Throws `insufficient_credits` or `unavailable`: then nothing may run. What is remembered asks
 * nothing of anybody, so that it may run first, and be refused when it is to be paid.
 */
export async function openMeter(ledger: Ledger, options: MeterOptions): Promise<Meter> {
  const bill = billOf(options);
  if (bill.requested === 0) return freeMeter((await ledger.balance(options.payer.id)).remaining);
  return options.isChargedAtEnd && !options.idempotencyRecord
    ? deferredMeter(ledger, options, bill)
    : reservingMeter(ledger, options, bill);
}

/** What an operation costs, as far as it has come. */
interface Bill {
  readonly requested: number;
  /** What it would cost if it ended now. */
  currentCharge(): number;
  /** What it costs, now that it has ended so. */
  finalCharge(outcome: OperationOutcome): Promise<number>;
  cost(charged: number, remaining: number): Cost;
}

function billOf({ fields, isFree, progress, idempotencyRecord }: MeterOptions): Bill {
  const price = priceOf(fields, isFree);
  const isRepeat = idempotencyRecord?.since !== undefined;
  // A repeat gets stored answers for nothing; the names that it queries at a registry again cost what a call for them alone costs.
  const maxQueriedPrice = isRepeat ? price.charged((name) => !progress.stored.has(name)) : 0;
  const requested = Math.max(
    maxQueriedPrice,
    price.requested - (idempotencyRecord?.charged ?? 0),
    0,
  );
  // The lookup of a pending row continues after a complete response. When the client disconnects, it continues only if it has been sent.
  const isDue = (name: DomainName, outcome: OperationOutcome) =>
    progress.answered.has(name) ||
    (outcome === 'aborted' ? progress.sent : progress.pending).has(name);
  const deliveredPrice = (outcome: OperationOutcome) =>
    outcome === 'failed' ? 0 : price.charged((name) => isDue(name, outcome));
  const queriedPrice = (outcome: OperationOutcome) =>
    !isRepeat || outcome === 'failed'
      ? 0
      : price.charged((name) => progress.queried.has(name) && isDue(name, outcome));
  return {
    requested,
    // Each row of a stream asks, and many become known together.
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

/** Returns what a call under an idempotency key costs, of what it and the names that it has queried are worth. */
async function chargeUnderKey(
  { charged, addCharge }: IdempotencyRecord,
  deliveredPrice: number,
  queriedPrice: number,
): Promise<number> {
  const newlyCharged = await addCharge(deliveredPrice);
  // What was not charged when this call began, and is now, a call in another process has paid for: it was in progress.
  const chargedMeanwhile = Math.max(deliveredPrice - newlyCharged - charged, 0);
  return Math.max(newlyCharged, queriedPrice - chargedMeanwhile);
}

function freeMeter(remaining: number): Meter {
  const zeroCost = async () => ({ requested: 0, charged: 0, refunded: 0, remaining });
  return { currentCost: zeroCost, settle: zeroCost, waive: zeroCost };
}

/** Sets nothing aside: the charge at the end may be refused. */
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

/** Sets the whole price aside, and gives back at the end what is not owed. */
async function reservingMeter(
  ledger: Ledger,
  { payer, onCreditsAvailable }: MeterOptions,
  { requested, currentCharge, finalCharge, cost }: Bill,
): Promise<Meter> {
  const reserved = await ledger.reserve(payer.id, requested);
  if (!reserved.granted) throw insufficientCredits(requested, reserved.balance);
  onCreditsAvailable?.();
  // What is owed cannot be told: then nothing is, as the caller reads.
  const refundAll = async (failure: unknown) => {
    await ledger.settle(reserved.reservation, 0);
    throw failure;
  };
  const settle = once(async (outcome: OperationOutcome) => {
    const charged = await finalCharge(outcome).catch(refundAll);
    const { remaining } = await ledger.settle(reserved.reservation, charged);
    return cost(charged, remaining);
  });
  // What is not owed yet is still set aside: it comes back at the end.
  const currentCost = async () => {
    const charged = currentCharge();
    return cost(charged, reserved.balance.remaining + requested - charged);
  };
  return { currentCost, settle, waive: async () => undefined };
}

function insufficientCredits(
  required: number,
  { remaining, resetsAt }: Refused['balance'],
): Problem {
  const price = required === 1 ? '1 credit' : `${required} credits`;
  return new Problem(
    'insufficient_credits',
    `This costs ${price}; left this month: ${remaining}.`,
    {
      credits: { required, remaining, resetsAt },
    },
  );
}
