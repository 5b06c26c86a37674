import type { DatabaseSync } from 'node:sqlite';
import type { Account, ListedAccount } from '../../accounts/account.ts';
import type { KeyHash } from '../../accounts/api-key.ts';
import { idempotencyKeyLifetimeMs } from '../../accounts/idempotency.ts';
import { replacedKeyGraceMs } from '../../accounts/store.ts';
import type { AccountTables, IdempotencyTables } from '../tables.ts';

type Statements = ReturnType<typeof prepare>;

/** Creates the account tables. Their methods block and throw what SQLite throws. */
export function sqliteAccountTables(database: DatabaseSync): AccountTables {
  const statements = prepare(database);
  return {
    create(plan, hash, now) {
      const defaults = { documents: null, role: null, expiresAt: null };
      const account: Account = { ...defaults, ...plan, createdAt: now, revokedAt: null };
      statements.create.run({ ...account, ...jsonColumns(account) });
      statements.addKey.run(hash, account.id);
      return account;
    },
    list: () => statements.list.all().flatMap((row) => toAccount<ListedAccount>(row) ?? []),
    change(id, change) {
      const account = findActive(statements, id);
      if (!account) return undefined;
      const changed = { ...account, ...change };
      const { credits, role, expiresAt } = changed;
      statements.change.run({ id, credits, role, expiresAt, ...jsonColumns(changed) });
      return changed;
    },
    rotate: (id, hash, now) => rotate(statements, id, hash, now),
    revoke(id, now) {
      statements.revoke.run(now, id);
      statements.deleteKeys.run(id);
      return toAccount(statements.find.get(id));
    },
    findByHash: (hash, now) => toAccount(statements.findByHash.get({ hash, now })),
  };
}

function rotate(
  statements: Statements,
  id: string,
  hash: KeyHash,
  now: number,
): Account | undefined {
  const account = findActive(statements, id);
  if (!account) return undefined;
  statements.expireKeys.run(now + replacedKeyGraceMs, id);
  statements.addKey.run(hash, id);
  return account;
}

function findActive({ find }: Statements, id: string): Account | undefined {
  const account = toAccount(find.get(id));
  return account?.revokedAt === null ? account : undefined;
}

const columns = `id, name, credits, origins, documents, role, created_at AS createdAt, expires_at AS expiresAt,
  revoked_at AS revokedAt`;

function prepare(database: DatabaseSync) {
  return {
    create: database.prepare(
      `INSERT INTO accounts (id, name, credits, origins, documents, role, created_at, expires_at, revoked_at)
       VALUES (:id, :name, :credits, :origins, :documents, :role, :createdAt, :expiresAt, :revokedAt)`,
    ),
    addKey: database.prepare('INSERT INTO keys (hash, account_id) VALUES (?, ?)'),
    list: database.prepare(
      `SELECT ${columns}, (SELECT max(charged_at) FROM counters WHERE account_id = id) AS lastChargedAt
       FROM accounts ORDER BY created_at, id`,
    ),
    find: database.prepare(`SELECT ${columns} FROM accounts WHERE id = ?`),
    change: database.prepare(
      `UPDATE accounts SET credits = :credits, origins = :origins, documents = :documents,
         role = :role, expires_at = :expiresAt WHERE id = :id`,
    ),
    expireKeys: database.prepare(
      'UPDATE keys SET works_until = ? WHERE account_id = ? AND works_until IS NULL',
    ),
    revoke: database.prepare(
      'UPDATE accounts SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL',
    ),
    deleteKeys: database.prepare('DELETE FROM keys WHERE account_id = ?'),
    findByHash: database.prepare(
      `SELECT ${columns} FROM keys JOIN accounts ON id = account_id
       WHERE hash = :hash AND revoked_at IS NULL AND coalesce(expires_at > :now, TRUE)
         AND coalesce(works_until > :now, TRUE)`,
    ),
  };
}

function jsonColumns({ origins, documents }: Account) {
  return { origins: JSON.stringify(origins), documents: documents && JSON.stringify(documents) };
}

function toAccount<A extends Account>(row: unknown): A | undefined {
  if (!row) return undefined;
  const { origins, documents, ...account } = row as Omit<A, 'origins' | 'documents'> &
    ReturnType<typeof jsonColumns>;
  return {
    ...account,
    origins: JSON.parse(origins),
    documents: documents && JSON.parse(documents),
  } as unknown as A;
}

/** Creates the idempotency tables. Their methods block and throw what SQLite throws. */
export function sqliteIdempotencyTables(database: DatabaseSync): IdempotencyTables {
  const { deleteExpired, bind, find, addCharge } = prepareIdempotency(database);
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

function prepareIdempotency(database: DatabaseSync) {
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
