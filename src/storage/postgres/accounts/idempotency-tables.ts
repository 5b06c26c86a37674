import { keyStandsMs, type Claim, type Standing } from '../../../accounts/idempotency.ts';
import type { IdempotencyTables, RemoteMethods } from '../../tables.ts';
import { theRow, type Database } from '../database/database.ts';
import type { TimeOf } from './time-of.ts';

/** What was charged under which idempotency key. Rejects with `DatabaseAway`. */
export function idempotencyTables(
  database: Database,
  timeOf: TimeOf,
): RemoteMethods<keyof IdempotencyTables> {
  return {
    async lookAtKey({ caller, key, fingerprint }, now) {
      const text = `
        SELECT fingerprint <> $3 AS conflict, charged, claimed_at AS since FROM idempotency_keys
        WHERE caller = $1 AND key = $2 AND claimed_at > coalesce($4, epoch_ms()) - $5::bigint`;
      const [kept] = await database.rows<Standing>(text, [
        caller,
        key,
        fingerprint,
        timeOf(now),
        keyStandsMs,
      ]);
      return kept ?? { conflict: false, charged: 0, since: undefined };
    },
    async claimKey({ caller, key, fingerprint }, now) {
      const text =
        'SELECT conflicting AS conflict, charged_before AS charged FROM claim_key($1, $2, $3, $4, $5)';
      return theRow(
        await database.rows<Claim>(text, [caller, key, fingerprint, keyStandsMs, timeOf(now)]),
      );
    },
    async oweUnderKey({ caller, key, fingerprint }, amount) {
      const text = 'SELECT owed FROM owe_under_key($1, $2, $3, $4)';
      return theRow(await database.rows<{ owed: number }>(text, [caller, key, fingerprint, amount]))
        .owed;
    },
  };
}
