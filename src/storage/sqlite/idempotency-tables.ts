import type { DatabaseSync } from 'node:sqlite';
import { idempotencyKeyLifetimeMs } from '../../accounts/idempotency.ts';
import type { IdempotencyTables } from '../tables.ts';

export const idempotencySchema = `
  CREATE TABLE idempotency_keys (
    caller TEXT NOT NULL,
    key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    charged INTEGER NOT NULL CHECK (charged >= 0),
    claimed_at INTEGER NOT NULL,
    PRIMARY KEY (caller, key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX idempotency_keys_by_age ON idempotency_keys (claimed_at);`;

/** Creates the idempotency tables. Their methods block and throw what SQLite throws. */
export function sqliteIdempotencyTables(database: DatabaseSync): IdempotencyTables {
  const { deleteExpired, bind, find, addCharge } = prepare(database);
  return {
    idempotencyStatus({ caller, key, fingerprint }, now) {
      const stored = find.get(caller, key);
      const since = Number(stored?.['claimed_at'] ?? -Infinity);
      if (since <= now - idempotencyKeyLifetimeMs)
        return { conflict: false, charged: 0, since: undefined };
      return {
        conflict: stored?.['fingerprint'] !== fingerprint,
        charged: Number(stored?.['charged']),
        since,
      };
    },
    bindIdempotencyKey({ caller, key, fingerprint }, now) {
      deleteExpired.run(now - idempotencyKeyLifetimeMs);
      bind.run({ caller, key, fingerprint, now, over: now - idempotencyKeyLifetimeMs });
      const stored = find.get(caller, key);
      return {
        conflict: stored?.['fingerprint'] !== fingerprint,
        charged: Number(stored?.['charged']),
      };
    },
    addIdempotentCharge({ caller, key, fingerprint }, amount) {
      const stored = find.get(caller, key);
      if (stored?.['fingerprint'] !== fingerprint) return amount;
      const newlyCharged = Math.max(0, amount - Number(stored['charged']));
      addCharge.run(newlyCharged, caller, key);
      return newlyCharged;
    },
  };
}

function prepare(database: DatabaseSync) {
  return {
    // A few per call: each call adds one key, so expired keys never accumulate and no call takes
    // long.
    deleteExpired: database.prepare(
      `DELETE FROM idempotency_keys WHERE (caller, key) IN
         (SELECT caller, key FROM idempotency_keys WHERE claimed_at <= ? ORDER BY claimed_at LIMIT 10)`,
    ),
    bind: database.prepare(
      `INSERT INTO idempotency_keys (caller, key, fingerprint, charged, claimed_at) VALUES (:caller, :key, :fingerprint, 0, :now)
       ON CONFLICT (caller, key) DO UPDATE SET fingerprint = excluded.fingerprint, charged = 0, claimed_at = excluded.claimed_at
         WHERE claimed_at <= :over`,
    ),
    find: database.prepare(
      'SELECT fingerprint, charged, claimed_at FROM idempotency_keys WHERE caller = ? AND key = ?',
    ),
    addCharge: database.prepare(
      'UPDATE idempotency_keys SET charged = charged + ? WHERE caller = ? AND key = ?',
    ),
  };
}
