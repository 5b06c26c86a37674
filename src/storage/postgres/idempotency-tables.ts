import {
  idempotencyKeyLifetimeMs,
  type IdempotencyClaim,
  type IdempotencyStatus,
} from '../../accounts/idempotency.ts';
import type { IdempotencyTables, AsyncTables } from '../tables.ts';
import { singleRow, type Database } from './database.ts';
import type { TimeOf } from './time-of.ts';

/** Creates the idempotency tables. Their methods reject with `DatabaseUnavailableError`. */
export function postgresIdempotencyTables(
  database: Database,
  timeOf: TimeOf,
): AsyncTables<keyof IdempotencyTables> {
  return {
    async idempotencyStatus({ caller, key, fingerprint }, now) {
      const text = `
        SELECT fingerprint <> $3 AS conflict, charged, claimed_at AS since FROM idempotency_keys
        WHERE caller = $1 AND key = $2 AND claimed_at > coalesce($4, epoch_ms()) - $5::bigint`;
      const [stored] = await database.rows<IdempotencyStatus>(text, [
        caller,
        key,
        fingerprint,
        timeOf(now),
        idempotencyKeyLifetimeMs,
      ]);
      return stored ?? { conflict: false, charged: 0, since: undefined };
    },
    async bindIdempotencyKey({ caller, key, fingerprint }, now) {
      const text =
        'SELECT conflicting AS conflict, charged_before AS charged FROM claim_key($1, $2, $3, $4, $5)';
      return singleRow(
        await database.rows<IdempotencyClaim>(text, [
          caller,
          key,
          fingerprint,
          idempotencyKeyLifetimeMs,
          timeOf(now),
        ]),
      );
    },
    async addIdempotentCharge({ caller, key, fingerprint }, amount) {
      const text = 'SELECT owed FROM owe_under_key($1, $2, $3, $4)';
      return singleRow(
        await database.rows<{ owed: number }>(text, [caller, key, fingerprint, amount]),
      ).owed;
    },
  };
}
