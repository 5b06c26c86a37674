import { Problem, type CreditShortage } from '../../domain/problems.ts';
import { once } from '../../shared/memoize.ts';
import type { Cost } from '../../accounts/account.ts';
import { inCredits, tooFewAllowed } from './prices.ts';
import type { PaidStream } from './paid-stream.ts';
import type { Ledger, Refused, Reservation } from '../../accounts/store.ts';

/**
 * How an operation ended. `completed`: what was answered or is PENDING is charged, and what was sent
 * unless it has failed: a null in the response may end it before all answers. `aborted`: the client
 * disconnected, and PENDING names are charged only if they were sent. `failed`: nothing was
 * returned, and nothing is charged.
 */
export type OperationOutcome = 'completed' | 'aborted' | 'failed';

/**
 * The charges of one operation. Credits are reserved before anything is looked up: with `open` for
 * its names and extensions, and with `reserve` for RDAP objects, whose number is known only when
 * they are looked up. `settle` charges what is due and refunds the rest. A reservation that is never
 * settled, because the process was killed or the ledger is down, is refunded when it expires.
 */
export class Charges {
  readonly #ledger: Ledger;
  readonly #accountId: string;
  readonly #maxCredits: number | undefined;
  readonly #reservations: Reservation[] = [];
  #names: NameCharges | undefined;
  #paid: PaidStream | undefined;
  /** The part of the price that was paid before. */
  #paidBefore = 0;
  /** Credits whose reservation is under way. */
  #reserving = 0;
  /** The price of the names is charged without a reservation, at the end. */
  #isDeferred = false;
  #isStored = false;
  #isSettled = false;
  /** The credits that were left after the last call of the ledger. */
  #remaining: number | undefined;
  #shortage: CreditShortage | undefined;
  /** The prices of lookups other than those of names, by their ids. */
  readonly #answered = new Map<string, number>();
  readonly #sent = new Map<string, number>();
  readonly #writes: Promise<void>[] = [];

  /** What exceeds `maxCredits` is not reserved, and so not looked up. */
  constructor(ledger: Ledger, accountId: string, maxCredits?: number) {
    this.#ledger = ledger;
    this.#accountId = accountId;
    this.#maxCredits = maxCredits;
  }

  /**
   * Reserves the price of names and of extensions before the operation runs. Throws
   * `insufficient_credits` or `unavailable`; the operation must then not run. If `isStored`, all
   * answers are stored and the response is sent in one piece, so the names need no reservation: the
   * operation may run first and be rejected when it is charged. `paid`: what was, for a stream.
   */
  async open(
    names: NameCharges,
    extensionPrice: number,
    isStored: boolean,
    paid?: PaidStream,
  ): Promise<void> {
    this.#names = names;
    this.#paid = paid;
    this.#isStored = isStored || names.requested === 0;
    this.#isDeferred = isStored && extensionPrice === 0 && names.requested > 0;
    if (this.#isDeferred) return;

    const full = names.requested + extensionPrice;
    if (paid && !paid.chargesQueries) {
      const unpaid = names.wholeRequested(extensionPrice) - paid.credits;
      this.#paidBefore = Math.max(full - Math.max(unpaid, 0), 0);
    }

    const price = full - this.#paidBefore;
    const refusal = price > 0 ? await this.reserve(price) : undefined;
    if (refusal) throw refusal;

    if (price > 0) await paid?.bind();
    this.#remaining ??= await this.#balance();
  }

  /** Reserves credits. Returns the problem that prevents it. */
  async reserve(credits: number): Promise<Problem | undefined> {
    const total = this.#requested + this.#reserving + credits;
    if (this.#maxCredits !== undefined && total > this.#maxCredits)
      return tooFewAllowed(total, this.#maxCredits);

    this.#reserving += credits;
    try {
      const reserved = await this.#ledger.reserve(this.#accountId, credits);
      if (!reserved.granted) {
        const refusal = insufficientCredits(credits, reserved.balance);
        this.#shortage = refusal.credits;
        return refusal;
      }

      this.#remaining = reserved.balance.remaining;
      if (this.#isSettled) await this.#ledger.settle(reserved.reservation, 0);
      else this.#reservations.push(reserved.reservation);

      return undefined;
    } catch (error) {
      if (error instanceof Problem) return error;
      throw error;
    } finally {
      this.#reserving -= credits;
    }
  }

  /** Records that a reserved lookup was sent. */
  recordSent(id: string, credits: number): void {
    this.#sent.set(id, credits);
  }

  /** Records that a reserved lookup was answered. */
  recordAnswered(id: string, credits: number): void {
    this.#answered.set(id, credits);
  }

  /** Records that a reserved lookup failed, so that it is not charged. */
  recordFailed(id: string): void {
    this.#sent.delete(id);
  }

  /**
   * Writes what is paid, and records its price, which `write` returns: a client that disconnects
   * meanwhile pays, too. Rejects with `request_timeout` if it has disconnected before.
   */
  async recordWrite(id: string, write: () => Promise<number>): Promise<void> {
    if (this.#isSettled)
      throw new Problem('request_timeout', 'The client has disconnected, so nothing was written.');
    const writing = write().then((credits) => this.recordAnswered(id, credits));
    this.#writes.push(writing);
    await writing;
  }

  get hasReserved(): boolean {
    return this.#reservations.length > 0;
  }

  /** What a refused reservation required and the account lacked; undefined if none was refused. */
  get shortage(): CreditShortage | undefined {
    return this.#shortage;
  }

  /**
   * Returns the cost if the operation ended now; undefined if it is free and the ledger is
   * unavailable. Throws `unavailable`.
   */
  async currentCost(): Promise<Cost | undefined> {
    const price = (this.#names?.current() ?? 0) + sumOf(this.#answered);
    const charged = Math.max(price - this.#paidBefore, 0);
    this.#remaining ??= await this.#balance();
    return this.#cost(charged, this.#reserved - charged);
  }

  /**
   * Charges what is due after an outcome and refunds the rest; only the first call has an effect.
   * Durable when it resolves. If `clientHasIt`, the client already has the response, which is free
   * unless a server had to be queried. Throws `unavailable`, and `insufficient_credits` if the names
   * were not reserved.
   */
  readonly settle = once(async (end: OperationOutcome, clientHasIt = false) => {
    this.#isSettled = true;
    await Promise.allSettled(this.#writes);

    const isFree = clientHasIt && this.#isStored && this.#sent.size === 0;
    const outcome = isFree ? 'failed' : end;
    const others = outcome === 'failed' ? 0 : this.#dueOthers();
    let due: number;
    try {
      const price = (await this.#chargeNames(outcome)) + others;
      due = this.#paid ? await this.#unpaid(price, others, outcome) : price;
    } catch (refusal) {
      // Then nothing is sent.
      await this.#settleReservations(outcome === 'completed' ? 0 : others);
      throw refusal;
    }

    await this.#settleReservations(this.#isDeferred ? others : due);
    this.#remaining ??= await this.#balance();
    return this.#cost(due);
  });

  /** Returns what the names cost, charged if they were not reserved. */
  async #chargeNames(outcome: OperationOutcome): Promise<number> {
    if (!this.#names || this.#names.requested === 0) return 0;

    const final = this.#names.final(outcome);
    const due = typeof final === 'number' ? final : await final;
    if (!this.#isDeferred || due === 0) return due;

    const { granted, balance } = await this.#ledger.charge(this.#accountId, due);
    if (!granted) throw insufficientCredits(due, balance);

    this.#remaining = balance.remaining;
    return due;
  }

  /** Returns the part of the price of a stream that was not paid when it ran before. */
  async #unpaid(price: number, others: number, outcome: OperationOutcome): Promise<number> {
    const [names, paid] = [this.#names, this.#paid];
    if (!names || !paid || price === 0) return price;
    const due = await paid.settle(price, names.whole(outcome, others));
    const queried = paid.chargesQueries ? names.queried(outcome) + sumOf(this.#sent) : 0;
    return Math.max(due, queried);
  }

  async #settleReservations(charged: number): Promise<void> {
    let due = charged;
    for (const reservation of this.#reservations) {
      const part = Math.min(due, reservation.amount);
      due -= part;
      this.#remaining = (await this.#ledger.settle(reservation, part)).remaining;
    }
  }

  /** Returns the price of the lookups that were sent or answered. */
  #dueOthers(): number {
    let due = sumOf(this.#sent);
    for (const [id, credits] of this.#answered) if (!this.#sent.has(id)) due += credits;
    return due;
  }

  get #reserved(): number {
    return this.#reservations.reduce((sum, { amount }) => sum + amount, 0);
  }

  get #requested(): number {
    return this.#reserved + (this.#isDeferred ? (this.#names?.requested ?? 0) : 0);
  }

  /** Resolves to undefined if the ledger is unavailable and the operation is free so far. */
  async #balance(): Promise<number | undefined> {
    try {
      return (await this.#ledger.balance(this.#accountId)).remaining;
    } catch (error) {
      if (this.#requested > 0) throw error;
      return undefined;
    }
  }

  /** `unsettled`: credits that are reserved but not due. */
  #cost(due: number, unsettled = 0): Cost | undefined {
    if (this.#remaining === undefined) return undefined;
    const requested = this.#requested;
    const charged = Math.min(requested, due);
    const remaining = this.#remaining + unsettled;
    return { requested, charged, refunded: requested - charged, remaining };
  }
}

/** What the names of an operation cost, which depends on how many of them were answered. */
export interface NameCharges {
  readonly requested: number;
  /** Returns the price if the operation ended now. */
  current(): number;
  /** Returns the final price after an outcome. */
  final(outcome: OperationOutcome): number | Promise<number>;
  /** Returns the part of the final price that is for names which this operation queried. */
  queried(outcome: OperationOutcome): number;
  /** Returns the price with `others`, and the rows that the client of a stream had before. */
  wholeRequested(others: number): number;
  /** Returns the final price with `others` and these rows. */
  whole(outcome: OperationOutcome, others: number): number;
}

/** Returns the problem of an account that has too few credits left. */
function insufficientCredits(
  required: number,
  { remaining, resetsAt }: Refused['balance'],
): Problem {
  const detail = `This request costs ${inCredits(required)}, but you have ${remaining} left this month.`;
  const credits = { required, remaining, resetsAt };
  return new Problem('insufficient_credits', detail, { credits });
}

function sumOf(prices: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const credits of prices.values()) sum += credits;
  return sum;
}
