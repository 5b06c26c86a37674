import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Month } from '../../accounts/account.ts';
import {
  reservationExpiryMs,
  type AccountUsage,
  type Discrepancy,
  type Reservation,
  type Usage,
} from '../../accounts/store.ts';
import type { ChargeResult, LedgerTables, BillingContext, MonthlyUsage } from '../tables.ts';
import { prepareAll } from './open.ts';

/**
 * Stores the credits used per account and month, and the entries whose sum they are. Methods block
 * and throw what SQLite throws.
 */
export class SqliteLedger implements LedgerTables {
  readonly #statements: Readonly<Record<keyof typeof statements, StatementSync>>;

  constructor(database: DatabaseSync) {
    this.#statements = prepareAll(database, statements);
  }

  charge(
    accountId: string,
    amount: number,
    isFinal: boolean,
    billing: BillingContext,
  ): ChargeResult {
    const { month, freeCredits, now } = billing;
    const { addUsage, addEntry, addReservation } = this.#statements;
    const isGranted = addUsage.get({ accountId, month, amount, freeCredits, now }) !== undefined;
    const entry = isGranted
      ? Number(addEntry.run(accountId, month, amount, now, null).lastInsertRowid)
      : undefined;
    if (entry !== undefined && !isFinal)
      addReservation.run(entry, accountId, month, amount, now + reservationExpiryMs);
    return { entry, ...this.tally(accountId, billing) };
  }

  /**
   * Charges one account several times permanently: as one entry if the total fits, otherwise each
   * charge that fits, in order.
   */
  chargeAll(
    accountId: string,
    amounts: readonly number[],
    billing: BillingContext,
  ): ChargeResult | readonly ChargeResult[] {
    const total = amounts.reduce((sum, amount) => sum + amount, 0);
    const all = this.charge(accountId, total, true, billing);
    return all.entry === undefined
      ? amounts.map((amount) => this.charge(accountId, amount, true, billing))
      : all;
  }

  settle({ id, accountId }: Reservation, charged: number, billing: BillingContext): MonthlyUsage {
    const reserved = this.#statements.deleteReservation.get(id) as unknown as
      ReservedCredits | undefined;
    if (reserved) {
      const due =
        reserved.amount === 0 ? Math.min(charged, this.#remaining(reserved, billing)) : charged;
      this.#adjust(id, reserved, due - reserved.amount, billing.now);
    }
    return this.tally(accountId, billing);
  }

  refund(accountId: string, month: Month, amount: number, { now }: BillingContext): void {
    const { reduceUsage, addEntry } = this.#statements;
    if (reduceUsage.run({ accountId, month, amount }).changes > 0)
      addEntry.run(accountId, month, -amount, now, null);
  }

  extendReservations(ids: readonly Reservation['id'][], { now }: BillingContext): void {
    this.#statements.extend.run(now + reservationExpiryMs, JSON.stringify(ids));
  }

  refundExpired(maxCount: number, { now }: BillingContext): number {
    const { deleteRefunded, findExpired, refund } = this.#statements;
    deleteRefunded.run(now - dayMs);
    const expiredReservations = findExpired.all(now, maxCount) as unknown as (ReservedCredits & {
      id: number;
    })[];
    for (const reserved of expiredReservations) {
      refund.run(reserved.id);
      this.#adjust(reserved.id, reserved, -reserved.amount, now);
    }
    return expiredReservations.length;
  }

  tally(
    accountId: string,
    { month, freeCredits }: Pick<BillingContext, 'month' | 'freeCredits'>,
  ): MonthlyUsage {
    const row = this.#statements.tally.get({ accountId, month, freeCredits }) as
      Omit<MonthlyUsage, 'month'> | undefined;
    return { ...(row ?? { limit: 0, used: 0 }), month };
  }

  usage(): Usage[] {
    return this.#statements.usage.all() as unknown as Usage[];
  }

  topUsage(maxCount: number, { month, freeCredits }: BillingContext): AccountUsage[] {
    const rows = this.#statements.topUsage.all({ maxCount, month, freeCredits });
    return rows as unknown as AccountUsage[];
  }

  check(): Discrepancy[] {
    return this.#statements.check.all() as unknown as Discrepancy[];
  }

  probe({ now }: BillingContext): void {
    this.#statements.probe.run(now);
  }

  #remaining({ accountId, month }: ReservedCredits, { freeCredits }: BillingContext): number {
    const { limit, used } = this.tally(accountId, { month, freeCredits });
    return Math.max(limit - used, 0);
  }

  #adjust(
    entry: Reservation['id'],
    { accountId, month }: ReservedCredits,
    change: number,
    now: number,
  ): void {
    if (change === 0) return;
    this.#statements.adjustUsage.run(change, accountId, month);
    this.#statements.addEntry.run(accountId, month, change, now, entry);
  }
}

/** The row of a reservation. Its amount is 0 after it was refunded. */
type ReservedCredits = Pick<Reservation, 'accountId' | 'month' | 'amount'>;

const dayMs = 24 * 60 * 60 * 1000;

const reservedColumns = 'account_id AS accountId, month, amount';

const statements = {
  // Checking and charging is one statement; otherwise, another process could spend the same credit
  // in between.
  addUsage: `
    INSERT INTO counters (account_id, month, used, charged_at)
    SELECT id, :month, :amount, :now FROM accounts WHERE id = :accountId AND :amount <= coalesce(credits, :freeCredits)
    ON CONFLICT (account_id, month) DO UPDATE SET used = used + excluded.used, charged_at = excluded.charged_at
      WHERE used + excluded.used <= (SELECT coalesce(credits, :freeCredits) FROM accounts WHERE id = :accountId)
    RETURNING used`,
  addEntry: 'INSERT INTO entries (account_id, month, amount, at, corrects) VALUES (?, ?, ?, ?, ?)',
  adjustUsage: 'UPDATE counters SET used = used + ? WHERE account_id = ? AND month = ?',
  reduceUsage:
    'UPDATE counters SET used = used - :amount WHERE account_id = :accountId AND month = :month AND used >= :amount',
  addReservation:
    'INSERT INTO reservations (entry, account_id, month, amount, expires_at) VALUES (?, ?, ?, ?, ?)',
  deleteReservation: `DELETE FROM reservations WHERE entry = ? RETURNING ${reservedColumns}`,
  extend:
    'UPDATE reservations SET expires_at = ? WHERE amount > 0 AND entry IN (SELECT value FROM json_each(?))',
  findExpired: `SELECT entry AS id, ${reservedColumns} FROM reservations WHERE amount > 0 AND expires_at <= ? LIMIT ?`,
  refund: 'UPDATE reservations SET amount = 0 WHERE entry = ?',
  deleteRefunded: 'DELETE FROM reservations WHERE amount = 0 AND expires_at <= ?',
  tally: `
    SELECT coalesce(credits, :freeCredits) AS "limit",
      coalesce((SELECT used FROM counters WHERE account_id = :accountId AND month = :month), 0) AS used
    FROM accounts WHERE id = :accountId`,
  usage:
    'SELECT account_id AS accountId, month, used FROM counters ORDER BY month DESC, account_id',
  topUsage: `
    SELECT id, name, role, expires_at AS expiresAt, revoked_at AS revokedAt, coalesce(credits, :freeCredits) AS "limit",
      coalesce(used, 0) AS used, charged_at AS lastChargedAt, count(*) OVER () AS total
    FROM accounts LEFT JOIN counters ON account_id = id AND month = :month
    WHERE revoked_at IS NULL OR used > 0 ORDER BY coalesce(used, 0) DESC, created_at, id LIMIT :maxCount`,
  check: `
    SELECT account_id AS accountId, month, coalesce(used, 0) AS used, coalesce(entered, 0) AS entered
    FROM counters FULL JOIN (SELECT account_id, month, sum(amount) AS entered FROM entries GROUP BY account_id, month)
      USING (account_id, month)
    WHERE used IS NOT entered`,
  probe:
    'INSERT INTO probes (id, at) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET at = excluded.at',
};
