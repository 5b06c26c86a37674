import { randomBytes } from 'node:crypto';
import type { Month } from '../../accounts/account.ts';
import {
  reservationExpiryMs,
  type AccountUsage,
  type Discrepancy,
  type Reservation,
  type Usage,
} from '../../accounts/store.ts';
import { systemClock } from '../../clock.ts';
import type {
  ChargeResult,
  LedgerTables,
  BillingContext,
  AsyncTables,
  MonthlyUsage,
} from '../tables.ts';
import { DatabaseUnavailableError } from './database-errors.ts';
import { singleRow, type Database, type TimeOf } from './database.ts';

/**
 * Stores the credits used per account and month, and the entries whose sum they are. Methods reject
 * with `DatabaseUnavailableError`, and nothing is charged then.
 */
export class PostgresLedger implements AsyncTables<keyof LedgerTables> {
  readonly #database: Database;
  readonly #timeOf: TimeOf;
  /**
   * Charges whose statement was sent but not confirmed: the caller received an error, so nothing may
   * be charged. Reservations need not be reversed, as they expire.
   */
  readonly #unconfirmed = new Set<UnconfirmedCharge>();
  #isReversalScheduled = false;

  constructor(database: Database, timeOf: TimeOf) {
    this.#database = database;
    this.#timeOf = timeOf;
  }

  async charge(
    accountId: string,
    amount: number,
    isFinal: boolean,
    { now, freeCredits }: BillingContext,
  ): Promise<ChargeResult> {
    const id = newChargeId();
    const values = [
      id,
      accountId,
      amount,
      isFinal ? null : reservationExpiryMs,
      freeCredits,
      this.#timeOf(now),
    ];
    const query = this.#database.rows<MonthlyUsage & { granted: boolean }>(charge, values);
    const rows = await (isFinal ? this.#reverseIfUnconfirmed({ id, accountId }, query) : query);
    const { granted, ...usage } = singleRow(rows);
    return { entry: granted ? id : undefined, ...usage };
  }

  async settle(
    { id, accountId }: Reservation,
    charged: number,
    { now, freeCredits }: BillingContext,
  ): Promise<MonthlyUsage> {
    const query = this.#database.rows<MonthlyUsage>(settle, [
      id,
      accountId,
      charged,
      freeCredits,
      this.#timeOf(now),
    ]);
    return singleRow(await this.#reverseIfUnconfirmed({ id, accountId }, query));
  }

  async refund(
    accountId: string,
    month: Month,
    amount: number,
    { now }: BillingContext,
  ): Promise<void> {
    const values = [newChargeId(), accountId, month, amount, this.#timeOf(now)];
    await this.#database.rows(refund, values);
  }

  async extendReservations(
    ids: readonly Reservation['id'][],
    { now }: BillingContext,
  ): Promise<void> {
    await this.#database.rows(extend, [ids, this.#timeOf(now), reservationExpiryMs]);
  }

  async refundExpired(maxCount: number, { now }: BillingContext): Promise<number> {
    return singleRow(
      await this.#database.rows<{ refunded: number }>(refundExpired, [maxCount, this.#timeOf(now)]),
    ).refunded;
  }

  async tally(accountId: string, { now, freeCredits }: BillingContext): Promise<MonthlyUsage> {
    return singleRow(
      await this.#database.rows<MonthlyUsage>(tally, [accountId, freeCredits, this.#timeOf(now)]),
    );
  }

  async usage(): Promise<Usage[]> {
    return [...(await this.#database.rows<Usage>(usage))];
  }

  async topUsage(maxCount: number, { now, freeCredits }: BillingContext): Promise<AccountUsage[]> {
    const values = [maxCount, freeCredits, this.#timeOf(now)];
    return [...(await this.#database.rows<AccountUsage>(topUsage, values))];
  }

  async check(): Promise<Discrepancy[]> {
    return [...(await this.#database.rows<Discrepancy>(check))];
  }

  async probe({ now }: BillingContext): Promise<void> {
    await this.#database.rows(probe, [this.#timeOf(now)]);
  }

  /** Tries to reverse unconfirmed charges. */
  close(): Promise<void> {
    return this.#reverseAll();
  }

  async #reverseIfUnconfirmed<T>(
    unconfirmed: UnconfirmedCharge,
    statement: Promise<T>,
  ): Promise<T> {
    try {
      return await statement;
    } catch (error) {
      if (error instanceof DatabaseUnavailableError && error.maybeApplied) {
        this.#unconfirmed.add(unconfirmed);
        this.#scheduleReversal();
      }
      throw error;
    }
  }

  /** Reverses as many charges as possible now, and the rest later. Never rejects. */
  async #reverseAll(): Promise<void> {
    for (const unconfirmed of this.#unconfirmed)
      await this.#database.rows(reverse, [unconfirmed.id, unconfirmed.accountId]).then(
        () => this.#unconfirmed.delete(unconfirmed),
        () => this.#scheduleReversal(),
      );
  }

  #scheduleReversal(): void {
    if (this.#isReversalScheduled) return;
    this.#isReversalScheduled = true;
    systemClock.after(reversalDelayMs, () => {
      this.#isReversalScheduled = false;
      void this.#reverseAll();
    });
  }
}

type UnconfirmedCharge = Pick<Reservation, 'id' | 'accountId'>;

const reversalDelayMs = 500;

/**
 * Returns a UUID that starts with the time: the index then grows at one end, which stays in memory
 * even with many millions of entries.
 */
function newChargeId(): string {
  const hex = systemClock.now().toString(16).padStart(12, '0') + randomBytes(10).toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

const usageColumns = 'of_limit AS "limit", used_up AS used, in_month AS month';
const tally = `SELECT ${usageColumns} FROM tally($1, $2, $3)`;
const charge = `SELECT granted, ${usageColumns} FROM charge($1, $2, $3, $4, $5, $6)`;
const settle = `SELECT ${usageColumns} FROM settle($1, $2, $3, $4, $5)`;
const refund = `
  WITH reduced AS (
    UPDATE counters SET used = used - $4 WHERE account_id = $2 AND month = $3 AND used >= $4 RETURNING month)
  INSERT INTO entries (charge, account_id, month, amount, at)
  SELECT $1, $2, $3, -$4::bigint, coalesce($5, epoch_ms()) FROM reduced`;
const reverse = 'SELECT reverse_charge($1, $2, NULL)';
const extend =
  'UPDATE reservations SET expires_at = coalesce($2, epoch_ms()) + $3 WHERE charge = ANY($1) AND amount > 0';
const refundExpired = 'SELECT refunded FROM refund_expired($1, $2)';
const usage =
  'SELECT account_id AS "accountId", month, used FROM counters ORDER BY month DESC, account_id';
const topUsage = `
  SELECT id, name, role, expires_at AS "expiresAt", revoked_at AS "revokedAt", coalesce(credits, $2::bigint) AS "limit",
    coalesce(used, 0) AS used, charged_at AS "lastChargedAt", count(*) OVER () AS total
  FROM accounts LEFT JOIN counters ON account_id = id AND month = (SELECT month_of(coalesce($3, epoch_ms())))
  WHERE revoked_at IS NULL OR used > 0 ORDER BY coalesce(used, 0) DESC, created_at, id LIMIT $1`;
const check = `
  SELECT account_id AS "accountId", month, coalesce(used, 0) AS used, coalesce(entered, 0)::bigint AS entered
  FROM counters FULL JOIN (SELECT account_id, month, sum(amount) AS entered FROM entries GROUP BY account_id, month) AS sums
    USING (account_id, month)
  WHERE coalesce(used, 0) <> coalesce(entered, 0)`;
const probe =
  'INSERT INTO probes (id, at) VALUES (1, coalesce($1, epoch_ms())) ON CONFLICT (id) DO UPDATE SET at = excluded.at';
