import type { ObjectKey } from '../domain/objects/object-ref.ts';
import { Problem, type CreditShortage } from '../domain/problems.ts';
import { once } from '../memoize.ts';
import type { Balance } from './account.ts';
import { insufficientCredits, type Cost, type Meter, type OperationOutcome } from './credits.ts';
import { prices } from './prices.ts';
import type { Ledger, Reservation } from './store.ts';

/** What the objects of an operation cost, in credits. */
type ObjectCost = Pick<Cost, 'requested' | 'charged'>;

/**
 * Charges for the RDAP objects of one operation other than domains. How many it looks up depends on
 * the answers, so credits are reserved for each batch.
 */
export class ObjectCharges {
  readonly #ledger: Ledger;
  readonly #accountId: string;
  readonly #reservations: Reservation[] = [];
  readonly #answered = new Set<ObjectKey>();
  readonly #sent = new Set<ObjectKey>();
  #shortage: CreditShortage | undefined;
  #isSettled = false;

  constructor(ledger: Ledger, accountId: string) {
    this.#ledger = ledger;
    this.#accountId = accountId;
  }

  /** Reserves the price of a number of objects. Returns the problem that prevents it. */
  async reserve(objects: number): Promise<Problem | undefined> {
    const amount = prices.record(objects);
    try {
      const reserved = await this.#ledger.reserve(this.#accountId, amount);
      if (!reserved.granted) {
        const refusal = insufficientCredits(amount, reserved.balance);
        this.#shortage = refusal.credits;
        return refusal;
      }
      if (this.#isSettled) await this.#ledger.settle(reserved.reservation, 0);
      else this.#reservations.push(reserved.reservation);
      return undefined;
    } catch (error) {
      if (error instanceof Problem) return error;
      throw error;
    }
  }

  /** Records that the lookup of a reserved object was sent. */
  recordSent(key: ObjectKey): void {
    this.#sent.add(key);
  }

  /** Records that a reserved object was answered. */
  recordAnswered(key: ObjectKey): void {
    this.#answered.add(key);
  }

  /** Whether a registry was queried. */
  get hasSent(): boolean {
    return this.#sent.size > 0;
  }

  /** What a refused batch required and the account lacked; undefined if none was refused. */
  get shortage(): CreditShortage | undefined {
    return this.#shortage;
  }

  /** The cost if the operation ended now. */
  get cost(): ObjectCost {
    return this.#costOf(this.#answered);
  }

  /**
   * Charges for the answered objects, unless the operation failed, and refunds the rest. `aborted`:
   * the client disconnected, and lookups already sent are charged too.
   */
  readonly settle = once(async (outcome: OperationOutcome): Promise<ObjectCost> => {
    this.#isSettled = true;
    const cost = this.#costOf(this.#dueAfter(outcome));
    let due = cost.charged;
    for (const reservation of this.#reservations) {
      const part = Math.min(due, reservation.amount);
      due -= part;
      await this.#ledger.settle(reservation, part);
    }
    return cost;
  });

  #dueAfter(outcome: OperationOutcome): ReadonlySet<ObjectKey> {
    if (outcome === 'failed') return new Set();
    return outcome === 'aborted' ? new Set([...this.#answered, ...this.#sent]) : this.#answered;
  }

  #costOf({ size }: ReadonlySet<ObjectKey>): ObjectCost {
    const requested = this.#reservations.reduce((sum, { amount }) => sum + amount, 0);
    return { requested, charged: Math.min(requested, prices.record(size)) };
  }
}

/** Returns a meter that also charges for objects. */
export function withObjectCharges(
  meter: Meter,
  charges: ObjectCharges,
  balance: () => Promise<Balance>,
): Meter {
  const added = async (cost: Cost, objects: ObjectCost, isSettled: boolean): Promise<Cost> => {
    if (objects.requested === 0) return cost;
    const requested = cost.requested + objects.requested;
    const charged = cost.charged + objects.charged;
    const refunded = requested - charged;
    const { remaining } = await balance();
    return { requested, charged, refunded, remaining: remaining + (isSettled ? 0 : refunded) };
  };
  return {
    currentCost: async () => added(await meter.currentCost(), charges.cost, false),
    settle: once(async (outcome: OperationOutcome) => {
      // A cached record is charged without a reservation, which may be refused: then nothing is sent.
      const cost = await meter.settle(outcome).catch(async (refusal: unknown) => {
        await charges.settle(outcome === 'completed' ? 'failed' : outcome);
        throw refusal;
      });
      return added(cost, await charges.settle(outcome), true);
    }),
    async waive() {
      if (charges.hasSent) return undefined;
      const cost = await meter.waive();
      return cost && added(cost, await charges.settle('failed'), true);
    },
    shortage: () => charges.shortage,
  };
}
