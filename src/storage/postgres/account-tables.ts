import type { Account, ListedAccount } from '../../accounts/account.ts';
import type { KeyHash } from '../../accounts/api-key.ts';
import { replacedKeyGraceMs } from '../../accounts/store.ts';
import type { AccountTables, AsyncTables, IdempotencyTables } from '../tables.ts';
import { singleRow, queryBatches, type Database, type TimeOf } from './database.ts';
import {
  idempotencyKeyLifetimeMs,
  type IdempotencyClaim,
  type IdempotencyStatus,
} from '../../accounts/idempotency.ts';

/** Creates the account tables. Their methods reject with `DatabaseUnavailableError`. */
export function postgresAccountTables(
  database: Database,
  timeOf: TimeOf,
): AsyncTables<keyof AccountTables> {
  const queryAccounts = async (text: string, values?: readonly unknown[]) =>
    (await database.rows<AccountRow>(text, values)).map(toAccount);
  const findAccount = queryBatches(async (keys: readonly KeyLookup[]) => {
    const times = keys.map(({ now }) => timeOf(now));
    const found = await database.rows<AccountRow & { hash: KeyHash }>(findByHashes, [
      keys.map(({ hash }) => hash),
      times,
    ]);
    const byHash = new Map(found.map(({ hash, ...row }) => [hash, toAccount(row)]));
    return keys.map(({ hash }) => ({ account: byHash.get(hash) }));
  }, lookupLimits);
  return {
    create: async ({ id, name, credits, origins, documents, role, expiresAt }, hash, now) => {
      const plan = [credits, origins, jsonOf(documents), role];
      return singleRow(
        await queryAccounts(create, [id, name, ...plan, timeOf(now), expiresAt, hash]),
      );
    },
    list: async () =>
      (await database.rows<AccountRow<ListedAccount>>(list)).map((row) => toAccount(row)),
    change: async (id, { credits, origins, documents, role, expiresAt }) => {
      const plan = [credits !== undefined, credits, origins, expiresAt !== undefined, expiresAt];
      const limits = [documents !== undefined, jsonOf(documents), role !== undefined, role];
      return (await queryAccounts(change, [id, ...plan, ...limits]))[0];
    },
    rotate: async (id, hash, now) =>
      (await queryAccounts(rotate, [id, hash, timeOf(now), replacedKeyGraceMs]))[0],
    revoke: async (id, now) => (await queryAccounts(revoke, [id, timeOf(now)]))[0],
    findByHash: async (hash, now) => (await findAccount({ hash, now })).account,
  };
}

/**
 * Limits the batches of key lookups, so that a flood of unknown keys does not occupy the
 * connections that others need.
 */
const lookupLimits = { batchSize: 500, concurrentBatches: 2 };

interface KeyLookup {
  readonly hash: KeyHash;
  readonly now: number;
}

/** A row of the table, in which documents are JSON. */
type AccountRow<A extends Account = Account> = Omit<A, 'documents'> & {
  readonly documents: string | null;
};

function toAccount<A extends Account>({ documents, ...account }: AccountRow<A>): A {
  return { ...account, documents: documents && JSON.parse(documents) } as unknown as A;
}

function jsonOf(documents: Account['documents'] | undefined): string | null {
  return documents ? JSON.stringify(documents) : null;
}

const columns = `id, name, credits, origins, documents, role, created_at AS "createdAt", expires_at AS "expiresAt",
  revoked_at AS "revokedAt"`;

const list = `
  SELECT ${columns}, (SELECT max(charged_at) FROM counters WHERE account_id = id) AS "lastChargedAt"
  FROM accounts ORDER BY created_at, id`;

const create = `
  WITH account AS (
    INSERT INTO accounts (id, name, credits, origins, documents, role, created_at, expires_at)
      VALUES ($1, $2, $3, $4, $5, $6, coalesce($7, epoch_ms()), $8) RETURNING *
  ), key AS (
    INSERT INTO keys (hash, account_id) SELECT $9, id FROM account
  )
  SELECT ${columns} FROM account`;

const change = `
  UPDATE accounts SET credits = CASE WHEN $2::boolean THEN $3::bigint ELSE credits END, origins = coalesce($4::text[], origins),
    expires_at = CASE WHEN $5::boolean THEN $6::bigint ELSE expires_at END,
    documents = CASE WHEN $7::boolean THEN $8::text ELSE documents END,
    role = CASE WHEN $9::boolean THEN $10::text ELSE role END
  WHERE id = $1 AND revoked_at IS NULL RETURNING ${columns}`;

const rotate = `
  WITH account AS (
    SELECT * FROM accounts WHERE id = $1 AND revoked_at IS NULL FOR UPDATE
  ), ended AS (
    UPDATE keys SET works_until = coalesce($3, epoch_ms()) + $4 FROM account WHERE account_id = account.id AND works_until IS NULL
  ), added AS (
    INSERT INTO keys (hash, account_id) SELECT $2, id FROM account
  )
  SELECT ${columns} FROM account`;

const revoke = `
  WITH revoked AS (
    UPDATE accounts SET revoked_at = coalesce($2, epoch_ms()) WHERE id = $1 AND revoked_at IS NULL RETURNING *
  ), deleted AS (
    DELETE FROM keys WHERE account_id = $1
  )
  SELECT ${columns} FROM revoked
  UNION ALL SELECT ${columns} FROM accounts WHERE id = $1 AND revoked_at IS NOT NULL`;

// Keys of revoked accounts are excluded, as one may be added while its account is being revoked.
const findByHashes = `
  SELECT DISTINCT hash, ${columns}
  FROM unnest($1::text[], $2::bigint[]) AS wanted (wanted_hash, moment) JOIN keys ON hash = wanted_hash JOIN accounts ON id = account_id
  WHERE revoked_at IS NULL AND coalesce(expires_at > coalesce(moment, epoch_ms()), TRUE)
    AND coalesce(works_until > coalesce(moment, epoch_ms()), TRUE)`;

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
