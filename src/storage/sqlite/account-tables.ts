import type { DatabaseSync } from 'node:sqlite';
import type { Account, ListedAccount } from '../../accounts/account.ts';
import { idempotencyKeyLifetimeMs } from '../../accounts/idempotency.ts';
import { replacedKeyGraceMs } from '../../accounts/store.ts';
import type { AccountTables, IdempotencyTables } from '../tables.ts';
import { prepareAll } from './open.ts';

/** Creates the account tables. Their methods block and throw what SQLite throws. */
export function sqliteAccountTables(database: DatabaseSync): AccountTables {
  const statements = prepareAll(database, accountStatements);
  const findActive = (id: string) => {
    const account = toAccount(statements.find.get(id));
    return account?.revokedAt === null ? account : undefined;
  };
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
      const account = findActive(id);
      if (!account) return undefined;
      const changed = { ...account, ...change };
      const { credits, role, expiresAt } = changed;
      statements.change.run({ id, credits, role, expiresAt, ...jsonColumns(changed) });
      return changed;
    },
    rotate(id, hash, now) {
      const account = findActive(id);
      if (!account) return undefined;
      statements.expireKeys.run(now + replacedKeyGraceMs, id);
      statements.addKey.run(hash, id);
      return account;
    },
    revoke(id, now) {
      statements.revoke.run(now, id);
      statements.deleteKeys.run(id);
      return toAccount(statements.find.get(id));
    },
    findByHash: (hash, now) => toAccount(statements.findByHash.get({ hash, now })),
  };
}

const columns = `id, name, credits, origins, documents, role, created_at AS createdAt, expires_at AS expiresAt,
  revoked_at AS revokedAt`;

const accountStatements = {
  create: `INSERT INTO accounts (id, name, credits, origins, documents, role, created_at, expires_at, revoked_at)
    VALUES (:id, :name, :credits, :origins, :documents, :role, :createdAt, :expiresAt, :revokedAt)`,
  addKey: 'INSERT INTO keys (hash, account_id) VALUES (?, ?)',
  list: `SELECT ${columns}, (SELECT max(charged_at) FROM counters WHERE account_id = id) AS lastChargedAt
    FROM accounts ORDER BY created_at, id`,
  find: `SELECT ${columns} FROM accounts WHERE id = ?`,
  change: `UPDATE accounts SET credits = :credits, origins = :origins, documents = :documents,
    role = :role, expires_at = :expiresAt WHERE id = :id`,
  expireKeys: 'UPDATE keys SET works_until = ? WHERE account_id = ? AND works_until IS NULL',
  revoke: 'UPDATE accounts SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL',
  deleteKeys: 'DELETE FROM keys WHERE account_id = ?',
  findByHash: `SELECT ${columns} FROM keys JOIN accounts ON id = account_id
    WHERE hash = :hash AND revoked_at IS NULL AND coalesce(expires_at > :now, TRUE)
      AND coalesce(works_until > :now, TRUE)`,
};

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
  const { deleteExpired, bind, find, addCharge } = prepareAll(database, idempotencyStatements);
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

const idempotencyStatements = {
  // A few per call: each call adds one key, so expired keys never accumulate and no call takes
  // long.
  deleteExpired: `DELETE FROM idempotency_keys WHERE (caller, key) IN
    (SELECT caller, key FROM idempotency_keys WHERE claimed_at <= ? ORDER BY claimed_at LIMIT 10)`,
  bind: `INSERT INTO idempotency_keys (caller, key, fingerprint, charged, claimed_at) VALUES (:caller, :key, :fingerprint, 0, :now)
    ON CONFLICT (caller, key) DO UPDATE SET fingerprint = excluded.fingerprint, charged = 0, claimed_at = excluded.claimed_at
      WHERE claimed_at <= :over`,
  find: 'SELECT fingerprint, charged, claimed_at FROM idempotency_keys WHERE caller = ? AND key = ?',
  addCharge: 'UPDATE idempotency_keys SET charged = charged + ? WHERE caller = ? AND key = ?',
};
