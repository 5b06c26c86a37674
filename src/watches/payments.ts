import { randomUUID } from 'node:crypto';
import { monthOf, type Month } from '../accounts/account.ts';
import type { Ledger } from '../accounts/store.ts';
import type { Clock } from '../clock.ts';
import type { LookupMeter } from '../domain/extension.ts';
import type { DomainName } from '../domain/names/domain-name.ts';
import { Problem } from '../domain/problems.ts';
import type { SqlDatabase } from '../shared/sql-database.ts';
import { creditsPerMonth } from './watch-rows.ts';

export interface PaymentOptions {
  readonly database: SqlDatabase;
  readonly ledger: Pick<Ledger, 'reserve' | 'settle' | 'refund'>;
  readonly clock: Clock;
}

/** The months of watches that cost nothing, and of those whose last month was refunded. */
export const free = '';
const refundedMonth = '-';

/** A watch whose month is not paid. */
interface Payment {
  readonly account: string;
  readonly name: DomainName;
  readonly paidMonth: Month | '';
  readonly verdictMonth: Month | '';
}

/** What accounts pay for the names that they watch: once a month, in advance. */
export class Payments {
  readonly #options: PaymentOptions;

  constructor(options: PaymentOptions) {
    this.#options = options;
  }

  /**
   * Reserves the price, writes, and settles what `write` returns. If the process is killed in between,
   * the reservation expires: nobody pays without a watch. Rejects with `insufficient_credits`.
   */
  async charge(account: string, price: number, write: () => Promise<number>): Promise<void> {
    const { ledger } = this.#options;
    const reserved = price > 0 ? await ledger.reserve(account, price) : undefined;
    if (reserved && !reserved.granted) {
      const { remaining, resetsAt } = reserved.balance;
      const detail = `Watching these names takes ${price} credits, but ${remaining} are left. Nothing is watched.`;
      const credits = { required: price, remaining, resetsAt };
      throw new Problem('insufficient_credits', detail, { credits });
    }

    let charged = 0;
    try {
      charged = await write();
    } finally {
      if (reserved) await ledger.settle(reserved.reservation, Math.min(charged, price));
    }
  }

  /**
   * Charges what the watches of a name cost in this month, and refunds an earlier month without any
   * verdict. Returns whether anybody's watch goes on: the others pause.
   */
  async renew(name: DomainName): Promise<boolean> {
    const month = monthOf(this.#options.clock.now());
    const watches = await this.#options.database.query<Payment>(
      `SELECT account, name, paid_month AS "paidMonth", verdict_month AS "verdictMonth"
       FROM watches WHERE name = $1 AND ended = 0`,
      [name],
    );
    let isWatched = false;
    for (const watch of watches) {
      const isPaid = watch.paidMonth === free || watch.paidMonth === month;
      if (isPaid || (await this.#renewOne(watch, month))) isWatched = true;
    }

    return isWatched;
  }

  /** Refunds the months without a verdict, and forgets the watches that ended before this month. */
  async closeMonths(): Promise<void> {
    const month = monthOf(this.#options.clock.now());
    const { query } = this.#options.database;
    const open = await query<Payment>(
      `SELECT account, name, paid_month AS "paidMonth", verdict_month AS "verdictMonth" FROM watches
       WHERE paid_month > $1 AND paid_month < $2 AND verdict_month < paid_month`,
      [refundedMonth, month],
    );
    for (const watch of open) await this.#refund(watch);
    await query('DELETE FROM watches WHERE ended = 1 AND paid_month < $1', [month]);
  }

  async #renewOne(watch: Payment, month: Month): Promise<boolean> {
    const { account, name, paidMonth, verdictMonth } = watch;
    const { database } = this.#options;
    if (paidMonth > refundedMonth && verdictMonth < paidMonth) await this.#refund(watch);

    const setPaid = async () => {
      const paid = await database.query(
        `UPDATE watches SET paid_month = $3, problem = NULL
         WHERE account = $1 AND name = $2 AND paid_month < $3 AND ended = 0 RETURNING name`,
        [account, name, month],
      );
      return paid.length * creditsPerMonth;
    };

    try {
      await this.charge(account, creditsPerMonth, setPaid);
      return true;
    } catch (error) {
      if (!(error instanceof Problem && error.code === 'insufficient_credits')) throw error;

      await database.query('UPDATE watches SET problem = $3 WHERE account = $1 AND name = $2', [
        account,
        name,
        error.code,
      ]);

      return false;
    }
  }

  /** Refunds the month that a watch has paid, once. */
  async #refund({ account, name, paidMonth }: Payment): Promise<void> {
    const refunded = await this.#options.database.query(
      `UPDATE watches SET paid_month = $4 WHERE account = $1 AND name = $2 AND paid_month = $3 RETURNING name`,
      [account, name, paidMonth, refundedMonth],
    );
    if (refunded.length > 0) await this.#options.ledger.refund(account, paidMonth, creditsPerMonth);
  }
}

/** Writes as part of an operation, which settles what it costs. Rejects with `insufficient_credits`. */
export async function metered(
  meter: LookupMeter,
  price: number,
  write: () => Promise<number>,
): Promise<void> {
  const refusal = await meter.reserve(price);
  if (refusal) throw refusal;
  const id = `watches ${randomUUID()}`;
  await meter.recordWrite(id, async () => Math.min(await write(), price));
}
