import { Problem, type CreditShortage } from '../domain/problems.ts';
import { once } from '../shared/memoize.ts';
import type { Balance } from './account.ts';
import { insufficientCredits, type Cost, type Meter, type OperationOutcome } from './credits.ts';
import type { Ledger, Reservation } from './store.ts';

/** What the later lookups of an operation cost, in credits. */
type LaterCost = Pick<Cost, 'requested' | 'charged'>;

/**
 * Charges for the lookups of one operation other than those of its names. The price of lookups about
 * sites is known before the operation runs. How many RDAP objects are looked up is not, so credits
 * are reserved for each batch of them.
 */
export class LaterCharges {
  readonly #ledger: Ledger;
  readonly #accountId: string;
  readonly #reservations: Reservation[] = [];
  /** The prices of lookups by their ids. */
  readonly #answered = new Map<string, number>();
  readonly #sent = new Map<string, number>();
  #shortage: CreditShortage | undefined;
  #isSettled = false;

  constructor(ledger: Ledger, accountId: string) {
    this.#ledger = ledger;
    this.#accountId = accountId;
  }

  /** Reserves credits. Returns the problem that prevents it. */
  async reserve(credits: number): Promise<Problem | undefined> {
    try {
      const reserved = await this.#ledger.reserve(this.#accountId, credits);
      if (!reserved.granted) {
        const refusal = insufficientCredits(credits, reserved.balance);
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

  /** Whether a server was queried. */
  get hasSent(): boolean {
    return this.#sent.size > 0;
  }

  /** What a refused batch required and the account lacked; undefined if none was refused. */
  get shortage(): CreditShortage | undefined {
    return this.#shortage;
  }

  /** The cost if the operation ended now. */
  get cost(): LaterCost {
    return this.#costOf(this.#answered);
  }

  /**
   * Charges for the answered lookups, unless the operation failed, and refunds the rest. `aborted`:
   * the client disconnected, and lookups already sent are charged too.
   */
  readonly settle = once(async (outcome: OperationOutcome): Promise<LaterCost> => {
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

  #dueAfter(outcome: OperationOutcome): ReadonlyMap<string, number> {
    if (outcome === 'failed') return new Map();
    return outcome === 'aborted' ? new Map([...this.#answered, ...this.#sent]) : this.#answered;
  }

  #costOf(due: ReadonlyMap<string, number>): LaterCost {
    const requested = sumOf(this.#reservations.map(({ amount }) => amount));
    return { requested, charged: Math.min(requested, sumOf([...due.values()])) };
  }
}

function sumOf(credits: readonly number[]): number {
  return credits.reduce((sum, each) => sum + each, 0);
}

/** Returns a meter that also charges for later lookups. */
export function withLaterCharges(
  meter: Meter,
  charges: LaterCharges,
  balance: () => Promise<Balance>,
): Meter {
  const added = async (cost: Cost, later: LaterCost, isSettled: boolean): Promise<Cost> => {
    if (later.requested === 0) return cost;
    const requested = cost.requested + later.requested;
    const charged = cost.charged + later.charged;
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
