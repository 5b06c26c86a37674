import { randomBytes } from 'node:crypto';
import {
  reservationExpiryMs,
  type Discrepancy,
  type Reservation,
  type Usage,
} from '../../../accounts/store.ts';
import { systemClock } from '../../../clock.ts';
import type { Charge, LedgerTables, Moment, RemoteMethods, Tally } from '../../tables.ts';
import { DatabaseAway } from '../database/database-unavailable.ts';
import { theRow, type Database } from '../database/database.ts';
import type { TimeOf } from './time-of.ts';
import { UnconfirmedCharges } from './unconfirmed-charges.ts';

/** What was used in each month, and the entries that it is the sum of. Rejects with `DatabaseAway`: then nothing counts. */
export class PostgresLedger implements RemoteMethods<keyof LedgerTables> {
  readonly #database: Database;
  readonly #timeOf: TimeOf;
  readonly #unconfirmed: UnconfirmedCharges;

  constructor(database: Database, timeOf: TimeOf) {
    this.#database = database;
    this.#timeOf = timeOf;
    this.#unconfirmed = new UnconfirmedCharges(({ id, accountId }) =>
      database.rows(reverse, [id, accountId]),
    );
  }

  async charge(
    accountId: string,
    amount: number,
    forGood: boolean,
    { now, freeCredits }: Moment,
  ): Promise<Charge> {
    const id = newChargeId();
    const values = [
      id,
      accountId,
      amount,
      forGood ? null : reservationExpiryMs,
      freeCredits,
      this.#timeOf(now),
    ];
    const charging = this.#database.rows<Tally & { granted: boolean }>(charge, values);
    const rows = await (forGood
      ? this.#reversedUnlessConfirmed({ id, accountId }, charging)
      : charging);
    const { granted, ...tally } = theRow(rows);
    return { entry: granted ? id : undefined, ...tally };
  }

  async settle(
    { id, accountId }: Reservation,
    charged: number,
    { now, freeCredits }: Moment,
  ): Promise<Tally> {
    const settling = this.#database.rows<Tally>(settle, [
      id,
      accountId,
      charged,
      freeCredits,
      this.#timeOf(now),
    ]);
    return theRow(await this.#reversedUnlessConfirmed({ id, accountId }, settling));
  }

  async extendReservations(ids: readonly Reservation['id'][], { now }: Moment): Promise<void> {
    await this.#database.rows(extend, [ids, this.#timeOf(now), reservationExpiryMs]);
  }

  async refundExpired(maxCount: number, { now }: Moment): Promise<number> {
    return theRow(
      await this.#database.rows<{ refunded: number }>(refundExpired, [maxCount, this.#timeOf(now)]),
    ).refunded;
  }

  async tally(accountId: string, { now, freeCredits }: Moment): Promise<Tally> {
    return theRow(
      await this.#database.rows<Tally>(tally, [accountId, freeCredits, this.#timeOf(now)]),
    );
  }

  async usage(): Promise<Usage[]> {
    return [...(await this.#database.rows<Usage>(usage))];
  }

  async check(): Promise<Discrepancy[]> {
    return [...(await this.#database.rows<Discrepancy>(check))];
  }

  async probe({ now }: Moment): Promise<void> {
    await this.#database.rows(probe, [this.#timeOf(now)]);
  }

  /** Reverses, if it can, what was sent and not confirmed. */
  close(): Promise<void> {
    return this.#unconfirmed.reverseAll();
  }

  async #reversedUnlessConfirmed<T>(
    charged: Pick<Reservation, 'id' | 'accountId'>,
    statement: Promise<T>,
  ): Promise<T> {
    try {
      return await statement;
    } catch (error) {
      if (error instanceof DatabaseAway && error.mayHaveRun) this.#unconfirmed.add(charged);
      throw error;
    }
  }
}

/** Returns a UUID that begins with the time, so that an index of many millions grows at one end and stays in memory there. */
function newChargeId(): string {
  const hex = systemClock.now().toString(16).padStart(12, '0') + randomBytes(10).toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

const tallied = 'of_limit AS "limit", used_up AS used, in_month AS month';
const tally = `SELECT ${tallied} FROM tally($1, $2, $3)`;
const charge = `SELECT granted, ${tallied} FROM charge($1, $2, $3, $4, $5, $6)`;
const settle = `SELECT ${tallied} FROM settle($1, $2, $3, $4, $5)`;
const reverse = 'SELECT reverse_charge($1, $2, NULL)';
const extend =
  'UPDATE reservations SET expires_at = coalesce($2, epoch_ms()) + $3 WHERE charge = ANY($1) AND amount > 0';
const refundExpired = 'SELECT refunded FROM refund_expired($1, $2)';
const usage =
  'SELECT account_id AS "accountId", month, used FROM counters ORDER BY month DESC, account_id';
const check = `
  SELECT account_id AS "accountId", month, coalesce(used, 0) AS used, coalesce(entered, 0)::bigint AS entered
  FROM counters FULL JOIN (SELECT account_id, month, sum(amount) AS entered FROM entries GROUP BY account_id, month) AS sums
    USING (account_id, month)
  WHERE coalesce(used, 0) <> coalesce(entered, 0)`;
const probe =
  'INSERT INTO probes (id, at) VALUES (1, coalesce($1, epoch_ms())) ON CONFLICT (id) DO UPDATE SET at = excluded.at';
