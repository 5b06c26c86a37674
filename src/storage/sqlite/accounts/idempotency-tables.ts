import type { DatabaseSync } from 'node:sqlite';
import { keyStandsMs } from '../../../accounts/idempotency.ts';
import type { IdempotencyTables } from '../../tables.ts';

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

/** What was charged under which idempotency key. Blocks; throws what SQLite throws. */
export function idempotencyTables(database: DatabaseSync): IdempotencyTables {
  const { forgetSome, claim, find, add } = prepare(database);
  return {
    lookAtKey({ caller, key, fingerprint }, now) {
      const kept = find.get(caller, key);
      const since = Number(kept?.['claimed_at'] ?? -Infinity);
      if (since <= now - keyStandsMs) return { conflict: false, charged: 0, since: undefined };
      return {
        conflict: kept?.['fingerprint'] !== fingerprint,
        charged: Number(kept?.['charged']),
        since,
      };
    },
    claimKey({ caller, key, fingerprint }, now) {
      forgetSome.run(now - keyStandsMs);
      claim.run({ caller, key, fingerprint, now, over: now - keyStandsMs });
      const kept = find.get(caller, key);
      return {
        conflict: kept?.['fingerprint'] !== fingerprint,
        charged: Number(kept?.['charged']),
      };
    },
    oweUnderKey({ caller, key, fingerprint }, amount) {
      const kept = find.get(caller, key);
      if (kept?.['fingerprint'] !== fingerprint) return amount;
      const owed = Math.max(0, amount - Number(kept['charged']));
      add.run(owed, caller, key);
      return owed;
    },
  };
}

function prepare(database: DatabaseSync) {
  return {
    // A few at a time: each claim adds one, so they never pile up, and no claim waits long.
    forgetSome: database.prepare(
      `DELETE FROM idempotency_keys WHERE (caller, key) IN
         (SELECT caller, key FROM idempotency_keys WHERE claimed_at <= ? ORDER BY claimed_at LIMIT 10)`,
    ),
    claim: database.prepare(
      `INSERT INTO idempotency_keys (caller, key, fingerprint, charged, claimed_at) VALUES (:caller, :key, :fingerprint, 0, :now)
       ON CONFLICT (caller, key) DO UPDATE SET fingerprint = excluded.fingerprint, charged = 0, claimed_at = excluded.claimed_at
         WHERE claimed_at <= :over`,
    ),
    find: database.prepare(
      'SELECT fingerprint, charged, claimed_at FROM idempotency_keys WHERE caller = ? AND key = ?',
    ),
    add: database.prepare(
      'UPDATE idempotency_keys SET charged = charged + ? WHERE caller = ? AND key = ?',
    ),
  };
}
