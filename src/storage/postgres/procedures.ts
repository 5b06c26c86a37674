import { accountColumns, insertAccount, type Procedures } from '../account-statements.ts';
import { postgresDialect } from './dialect.ts';

const columns = accountColumns(postgresDialect);
const { each, time } = postgresDialect;

const usage = 'of_limit AS "limit", used_up AS used, in_month AS month';
const charge = `SELECT CASE WHEN granted THEN $1 END AS entry, ${usage} FROM charge($1, $2, $3, $4, $5, $6)`;

/** Each is one statement, most of them a call of a function. */
export const postgresProcedures: Procedures = {
  create: [
    `WITH account AS (
      ${insertAccount(postgresDialect)} RETURNING *
    ), key AS (
      INSERT INTO keys (hash, account_id) SELECT $10, id FROM account
    )
    SELECT ${columns} FROM account`,
  ],
  rotate: [
    `WITH account AS (
      SELECT * FROM accounts WHERE id = $1 AND revoked_at IS NULL FOR UPDATE
    ), ended AS (
      UPDATE keys SET works_until = ${time('$3')} + $4 FROM account WHERE account_id = account.id AND works_until IS NULL
    ), added AS (
      INSERT INTO keys (hash, account_id) SELECT $2, id FROM account
    )
    SELECT ${columns} FROM account`,
  ],
  revoke: [
    `WITH revoked AS (
      UPDATE accounts SET revoked_at = ${time('$2')} WHERE id = $1 AND revoked_at IS NULL RETURNING *
    ), deleted AS (
      DELETE FROM keys WHERE account_id = $1
    )
    SELECT ${columns} FROM revoked
    UNION ALL SELECT ${columns} FROM accounts WHERE id = $1 AND revoked_at IS NOT NULL`,
  ],
  claimKey: [
    'SELECT conflicting AS conflict, charged_before AS charged FROM claim_key($1, $2, $3, $4, $5)',
  ],
  chargeKey: ['SELECT owed AS due FROM owe_under_key($1, $2, $3, $4)'],
  charge: [charge],
  reserve: [charge],
  settle: [`SELECT ${usage} FROM settle($1, $2, $3, $4, $5)`],
  refund: [
    `WITH reduced AS (
      UPDATE counters SET used = used - $4 WHERE account_id = $2 AND month = $3 AND used >= $4 RETURNING month)
    INSERT INTO entries (charge, account_id, month, amount, at)
    SELECT $1, $2, $3, -CAST($4 AS bigint), ${time('$5')} FROM reduced`,
  ],
  refundExpired: ['SELECT refunded FROM refund_expired($1, $2)'],
  extendReservations: [
    `UPDATE reservations SET expires_at = ${time('$2')} + $3
    WHERE amount > 0 AND charge IN (SELECT CAST(value AS uuid) FROM ${each('$1')})`,
  ],
  tally: [`SELECT ${usage} FROM tally($1, $2, $3)`],
};
