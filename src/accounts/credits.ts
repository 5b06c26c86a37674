import { Problem } from '../domain/problems.ts';
import type { DomainName } from '../domain/domain-name.ts';
import type { Progress } from '../lookup/lookup-progress.ts';
import type { Account } from './account.ts';
import { priceOf, type PricedField } from './prices.ts';
import type { Ledger, Refused } from './store.ts';
import { derived, once } from '../once.ts';

/** What an operation costs its account, in credits. */
export interface Cost {
  readonly requested: number;
  readonly charged: number;
  readonly refunded: number;
  readonly remaining: number;
}

/** How an operation ended. */
export type End = 'whole' | 'cut' | 'failed';

/** Counts one operation. */
export interface Meter {
  /** What it would cost if it ended now. Throws `unavailable`. */
  soFar(): Promise<Cost>;
  /**
   * Charges for the names that got a verdict and gives the rest back, once; durable when it resolves. `cut`: the client left, and what was
   * sent on its behalf is owed too. `failed`: there is no answer, and nothing is owed. Throws `insufficient_credits` where nothing had to be
   * reserved, and `unavailable`.
   */
  settle(end: End): Promise<Cost>;
  /** Charges nothing, where nobody was asked and nothing was set aside; undefined where it was. Throws `unavailable`. */
  forgo(): Promise<Cost | undefined>;
}

/** What earlier calls under the same idempotency key were charged. No other call runs under the key, in this process, until it is released. */
export interface Receipt {
  /** The most that a call under the key was worth so far. */
  readonly charged: number;
  /** When the first of them came, in milliseconds since the epoch; undefined when this is the first. */
  readonly since: number | undefined;
  /** Binds the key, when nothing is in the way of the call any more. Throws `idempotency_conflict`. */
  claim(): Promise<void>;
  /** Counts what this call is worth, and says how much of that is not charged yet. */
  owe(amount: number): Promise<number>;
  /** Lets the next call under the key run. To be called once this one is settled. */
  release(): void;
}

export interface Metered {
  readonly payer: Account;
  readonly fields: readonly PricedField[];
  /** Names that cost nothing: `.test`, and those that nobody can be asked about. */
  readonly isFree: (name: DomainName) => boolean;
  readonly progress: Progress;
  /** All of it is remembered and sent in one piece: the price is owed at the end, and nothing needs to be set aside. */
  readonly remembered: boolean;
  readonly receipt?: Receipt | undefined;
  /** Called once the account is found to have the credits that the operation costs. */
  readonly onPayable?: () => void;
}

/**
 * Opens the meter of an operation before it runs. Throws `insufficient_credits` or `unavailable`: then nothing may run. What is remembered asks
 * nothing of anybody, so that it may run first, and be refused when it is to be paid.
 */
export async function openMeter(ledger: Ledger, metered: Metered): Promise<Meter> {
  const bill = billOf(metered);
  if (bill.requested === 0) return freeMeter((await ledger.balance(metered.payer.id)).remaining);
  return metered.remembered && !metered.receipt
    ? meterPaidLater(ledger, metered, bill)
    : meterSetAside(ledger, metered, bill);
}

/** What an operation costs, as far as it has come. */
interface Bill {
  readonly requested: number;
  /** What it would cost if it ended now. */
  owed(): number;
  /** What it costs, now that it has ended so. */
  due(end: End): Promise<number>;
  cost(charged: number, remaining: number): Cost;
}

function billOf({ fields, isFree, progress, receipt }: Metered): Bill {
  const price = priceOf(fields, isFree);
  const isRepeat = receipt?.since !== undefined;
  // A repeat gets stored answers for nothing; the names that it queries at a registry again cost what a call for them alone costs.
  const atMostQueried = isRepeat ? price.charged((name) => !progress.stored.has(name)) : 0;
  const requested = Math.max(atMostQueried, price.requested - (receipt?.charged ?? 0), 0);
  // The lookup of a pending row continues after a complete response. When the client disconnects, it continues only if it has been sent.
  const isDue = (name: DomainName, end: End) =>
    progress.answered.has(name) || (end === 'cut' ? progress.sent : progress.pending).has(name);
  const worth = (end: End) => (end === 'failed' ? 0 : price.charged((name) => isDue(name, end)));
  const worthOfQueried = (end: End) =>
    !isRepeat || end === 'failed'
      ? 0
      : price.charged((name) => progress.queried.has(name) && isDue(name, end));
  return {
    requested,
    // Each row of a stream asks, and many become known together.
    owed: derived(
      () => progress.answered.size + progress.pending.size,
      () => Math.min(requested, worth('whole')),
    ),
    due: async (end) =>
      Math.min(
        requested,
        receipt ? await dueUnderKey(receipt, worth(end), worthOfQueried(end)) : worth(end),
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
async function dueUnderKey(
  { charged, owe }: Receipt,
  worth: number,
  worthOfQueried: number,
): Promise<number> {
  const owed = await owe(worth);
  // What was not charged when this call began, and is now, a call in another process has paid for: it was in progress.
  const paidMeanwhile = Math.max(worth - owed - charged, 0);
  return Math.max(owed, worthOfQueried - paidMeanwhile);
}

function freeMeter(remaining: number): Meter {
  const nothing = async () => ({ requested: 0, charged: 0, refunded: 0, remaining });
  return { soFar: nothing, settle: nothing, forgo: nothing };
}

/** Sets nothing aside: the charge at the end may be refused. */
function meterPaidLater(
  ledger: Ledger,
  { payer, onPayable }: Metered,
  { owed, due, cost }: Bill,
): Meter {
  const costNow = async (charged: number) =>
    cost(charged, (await ledger.balance(payer.id)).remaining - charged);
  let forgone = false;
  const settle = once(async (end: End) => {
    const charged = forgone ? 0 : await due(end);
    if (charged === 0) return costNow(0);
    const { granted, balance } = await ledger.chargeAtOnce(payer.id, charged);
    if (!granted) throw insufficient(charged, balance);
    onPayable?.();
    return cost(charged, balance.remaining);
  });
  const forgo = async () => {
    forgone = true;
    return costNow(0);
  };
  return { soFar: () => costNow(owed()), settle, forgo };
}

/** Sets the whole price aside, and gives back at the end what is not owed. */
async function meterSetAside(
  ledger: Ledger,
  { payer, onPayable }: Metered,
  { requested, owed, due, cost }: Bill,
): Promise<Meter> {
  const reserved = await ledger.reserve(payer.id, requested);
  if (!reserved.granted) throw insufficient(requested, reserved.balance);
  onPayable?.();
  // What is owed cannot be told: then nothing is, as the caller reads.
  const giveBack = async (failure: unknown) => {
    await ledger.settle(reserved.reservation, 0);
    throw failure;
  };
  const settle = once(async (end: End) => {
    const charged = await due(end).catch(giveBack);
    const { remaining } = await ledger.settle(reserved.reservation, charged);
    return cost(charged, remaining);
  });
  // What is not owed yet is still set aside: it comes back at the end.
  const soFar = async () => {
    const charged = owed();
    return cost(charged, reserved.balance.remaining + requested - charged);
  };
  return { soFar, settle, forgo: async () => undefined };
}

function insufficient(required: number, { remaining, resetsAt }: Refused['balance']): Problem {
  const price = required === 1 ? '1 credit' : `${required} credits`;
  return new Problem(
    'insufficient_credits',
    `This costs ${price}; left this month: ${remaining}.`,
    {
      credits: { required, remaining, resetsAt },
    },
  );
}
