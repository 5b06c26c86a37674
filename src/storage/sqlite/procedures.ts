import { accountColumns, insertAccount, type Procedures } from '../account-statements.ts';
import { sqliteDialect } from './dialect.ts';

const dayMs = 24 * 60 * 60 * 1000;

const account = `SELECT ${accountColumns(sqliteDialect)} FROM accounts WHERE id = $1`;
const activeAccount = `${account} AND revoked_at IS NULL`;

/** Returns what `tally` returns, and the entry that the previous statement has added, or null. */
const tally = (id: string, freeCredits: string, time: string) => {
  const month = sqliteDialect.month(time);
  return `
    SELECT CASE WHEN changes() > 0 THEN last_insert_rowid() END AS entry, ${month} AS month,
      coalesce((SELECT coalesce(credits, ${freeCredits}) FROM accounts WHERE id = ${id}), 0) AS "limit",
      coalesce((SELECT used FROM counters WHERE account_id = ${id} AND month = ${month}), 0) AS used`;
};

const month = sqliteDialect.month('$6');

// Checking and charging is one statement; otherwise, another process could spend the same credit in
// between.
const addUsage = `
  INSERT INTO counters (account_id, month, used, charged_at)
  SELECT id, ${month}, $3, $6 FROM accounts WHERE id = $2 AND $3 <= coalesce(credits, $5)
  ON CONFLICT (account_id, month) DO UPDATE SET used = used + excluded.used, charged_at = excluded.charged_at
    WHERE used + excluded.used <= (SELECT coalesce(credits, $5) FROM accounts WHERE id = $2)`;
// An INSERT that adds nothing sets `changes()` to 0, too.
const addEntry = `
  INSERT INTO entries (account_id, month, amount, at) SELECT $2, ${month}, $3, $6 WHERE changes() > 0`;
const addReservation = `
  INSERT INTO reservations (entry, account_id, month, amount, expires_at)
  SELECT last_insert_rowid(), $2, ${month}, $3, $6 + $4 WHERE changes() > 0`;

const expired = `
  SELECT entry, account_id, month, amount FROM reservations
  WHERE amount > 0 AND expires_at <= $2 ORDER BY entry LIMIT $1`;

/** An expired reservation, whose amount is 0, is charged up to the credits that its month has left. */
const due = `
  CASE WHEN reserved.amount > 0 THEN $3 ELSE min($3, max(0, coalesce(credits, $4) - used)) END - reserved.amount`;

export const sqliteProcedures: Procedures = {
  create: [
    insertAccount(sqliteDialect),
    'INSERT INTO keys (hash, account_id) VALUES ($10, $1)',
    account,
  ],
  rotate: [
    `UPDATE keys SET works_until = $3 + $4
    WHERE account_id = (SELECT id FROM (${activeAccount})) AND works_until IS NULL`,
    `INSERT INTO keys (hash, account_id) SELECT $2, id FROM (${activeAccount})`,
    activeAccount,
  ],
  revoke: [
    'UPDATE accounts SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL',
    'DELETE FROM keys WHERE account_id = $1',
    account,
  ],
  claimKey: [
    // A few per call: each call adds one key, so expired keys never accumulate and no call takes
    // long.
    `DELETE FROM idempotency_keys WHERE (caller, key) IN
      (SELECT caller, key FROM idempotency_keys WHERE claimed_at <= $5 - $4 ORDER BY claimed_at LIMIT 10)`,
    `INSERT INTO idempotency_keys (caller, key, fingerprint, charged, claimed_at) VALUES ($1, $2, $3, 0, $5)
    ON CONFLICT (caller, key) DO UPDATE SET fingerprint = excluded.fingerprint, charged = 0, claimed_at = excluded.claimed_at
      WHERE claimed_at <= $5 - $4`,
    'SELECT fingerprint <> $3 AS conflict, charged FROM idempotency_keys WHERE caller = $1 AND key = $2',
  ],
  chargeKey: [
    `SELECT coalesce((SELECT max($4 - charged, 0) FROM idempotency_keys
      WHERE caller = $1 AND key = $2 AND fingerprint = $3), $4) AS due`,
    `UPDATE idempotency_keys SET charged = max(charged, $4)
    WHERE caller = $1 AND key = $2 AND fingerprint = $3`,
  ],
  charge: [addUsage, addEntry, tally('$2', '$5', '$6')],
  reserve: [addUsage, addEntry, addReservation, tally('$2', '$5', '$6')],
  settle: [
    `INSERT INTO entries (account_id, month, amount, at, corrects)
    SELECT account_id, reserved.month, ${due}, $5, entry
    FROM reservations AS reserved JOIN counters USING (account_id, month) JOIN accounts ON accounts.id = account_id
    WHERE entry = $1 AND ${due} <> 0`,
    `UPDATE counters SET used = used + (SELECT amount FROM entries WHERE id = last_insert_rowid())
    WHERE changes() > 0 AND (account_id, month) = (SELECT account_id, month FROM reservations WHERE entry = $1)`,
    'DELETE FROM reservations WHERE entry = $1',
    tally('$2', '$4', '$5'),
  ],
  refund: [
    'UPDATE counters SET used = used - $4 WHERE account_id = $2 AND month = $3 AND used >= $4',
    'INSERT INTO entries (account_id, month, amount, at) SELECT $2, $3, -$4, $5 WHERE changes() > 0',
  ],
  refundExpired: [
    `DELETE FROM reservations WHERE amount = 0 AND expires_at <= $2 - ${dayMs}`,
    `INSERT INTO entries (account_id, month, amount, at, corrects)
    SELECT account_id, month, -amount, $2, entry FROM (${expired})`,
    `UPDATE counters SET used = used - refunded
    FROM (SELECT account_id, month, sum(amount) AS refunded FROM (${expired}) GROUP BY account_id, month) AS sums
    WHERE counters.account_id = sums.account_id AND counters.month = sums.month`,
    `UPDATE reservations SET amount = 0 WHERE entry IN (SELECT entry FROM (${expired}))`,
    'SELECT changes() AS refunded',
  ],
  extendReservations: [
    `UPDATE reservations SET expires_at = $2 + $3
    WHERE amount > 0 AND entry IN (SELECT value FROM ${sqliteDialect.each('$1')})`,
  ],
  tally: [tally('$1', '$2', '$3')],
};
