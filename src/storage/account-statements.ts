import type { Account } from '../accounts/account.ts';
import type { SqlDialect } from '../shared/sql-database.ts';

/** Statements that run together in one transaction; their result is all rows that they return. */
export type Statements = Readonly<Record<StatementName, readonly string[]>>;

/** The name of the statements of one call of the account store. */
export type StatementName = keyof ReturnType<typeof sharedStatements> | keyof Procedures;

/**
 * Statements of calls that write more than one table, with their parameters. SQLite runs several of
 * them in a transaction; PostgreSQL runs one, so that each call is one round trip.
 */
export interface Procedures {
  /** Id, name, credits, origins (JSON), documents (JSON), role, rate, time, expiry, hash. */
  readonly create: readonly string[];
  /** Account, hash, time, how long old keys still work. */
  readonly rotate: readonly string[];
  /** Account, time. */
  readonly revoke: readonly string[];
  /** Caller, key, fingerprint, lifetime, time. */
  readonly claimKey: readonly string[];
  /** Caller, key, fingerprint, amount. */
  readonly chargeKey: readonly string[];
  /** Charge, account, amount, null, free credits, time. */
  readonly charge: readonly string[];
  /** Charge, account, amount, lifetime, free credits, time. */
  readonly reserve: readonly string[];
  /** Charge, account, amount, free credits, time. */
  readonly settle: readonly string[];
  /** Charge, account, month, amount, time. */
  readonly refund: readonly string[];
  /** Maximum count, time. */
  readonly refundExpired: readonly string[];
  /** Charges (JSON), time, lifetime. */
  readonly extendReservations: readonly string[];
  /** Account, free credits, time. */
  readonly tally: readonly string[];
}

export function accountStatements(dialect: SqlDialect, procedures: Procedures): Statements {
  return { ...procedures, ...sharedStatements(dialect) };
}

export function accountColumns({ fromTexts }: SqlDialect): string {
  return `id, name, credits, ${fromTexts('origins')} AS origins, documents, role, rate, created_at AS "createdAt",
    expires_at AS "expiresAt", revoked_at AS "revokedAt"`;
}

/** A row of the table, in which lists are JSON. */
export type AccountRow<A extends Account = Account> = Omit<A, 'origins' | 'documents'> & {
  readonly origins: string;
  readonly documents: string | null;
};

export function toAccount<A extends Account>({ origins, documents, ...account }: AccountRow<A>): A {
  const lists = { origins: JSON.parse(origins), documents: documents && JSON.parse(documents) };
  return { ...account, ...lists } as unknown as A;
}

/** Returns the insertion of an account with the parameters of `create`. */
export function insertAccount({ toTexts, time }: SqlDialect): string {
  return `INSERT INTO accounts (id, name, credits, origins, documents, role, rate, created_at, expires_at)
    VALUES ($1, $2, $3, ${toTexts('$4')}, $5, $6, $7, ${time('$8')}, $9)`;
}

/** The columns that `change` changes, in the order of its parameters. */
export const changeableColumns = ['credits', 'origins', 'documents', 'role', 'rate', 'expires_at'];

function sharedStatements(dialect: SqlDialect) {
  const { each, time, month, toTexts } = dialect;
  const columns = accountColumns(dialect);

  // After the id, two parameters per column: whether it changes (1 or 0), and its new value.
  const changes = changeableColumns.map((column, index) => {
    const [isChanged, parameter] = [`$${2 * index + 2}`, `$${2 * index + 3}`];
    const value = column === 'origins' ? toTexts(parameter) : parameter;
    return `${column} = CASE WHEN ${isChanged} = 1 THEN ${value} ELSE ${column} END`;
  });

  return {
    list: [
      `SELECT ${columns}, (SELECT max(charged_at) FROM counters WHERE account_id = id) AS "lastChargedAt"
      FROM accounts ORDER BY created_at, id`,
    ],
    change: [
      `UPDATE accounts SET ${changes.join()} WHERE id = $1 AND revoked_at IS NULL RETURNING ${columns}`,
    ],
    // Keys of revoked accounts are excluded, as one may be added while its account is being revoked.
    findByHashes: [
      `SELECT hash, ${columns} FROM keys JOIN accounts ON id = account_id
      WHERE hash IN (SELECT value FROM ${each('$1')}) AND revoked_at IS NULL
        AND coalesce(expires_at > ${time('$2')}, TRUE) AND coalesce(works_until > ${time('$2')}, TRUE)`,
    ],
    findNamed: [
      `SELECT ${columns} FROM accounts WHERE (id = $1 OR name = $1) AND revoked_at IS NULL
        AND coalesce(expires_at > ${time('$2')}, TRUE) ORDER BY CASE id WHEN $1 THEN 0 ELSE 1 END LIMIT 2`,
    ],
    findKey: [
      `SELECT fingerprint <> $3 AS conflict, charged, claimed_at AS since FROM idempotency_keys
      WHERE caller = $1 AND key = $2 AND claimed_at > ${time('$5')} - $4`,
    ],
    usage: [
      'SELECT account_id AS "accountId", month, used FROM counters ORDER BY month DESC, account_id',
    ],
    topUsage: [
      `SELECT ${columns}, coalesce(credits, $2) AS "limit", coalesce(used, 0) AS used,
        charged_at AS "lastChargedAt", count(*) OVER () AS total
      FROM accounts LEFT JOIN counters ON account_id = id AND month = (SELECT ${month('$3')})
      WHERE CASE WHEN $4 = '' THEN revoked_at IS NULL OR used > 0 ELSE id = $4 OR lower(name) LIKE lower($5) ESCAPE '!' END
      ORDER BY id = $4 DESC, coalesce(used, 0) DESC, created_at, id LIMIT $1`,
    ],
    check: [
      `SELECT account_id AS "accountId", month, coalesce(used, 0) AS used, CAST(coalesce(entered, 0) AS bigint) AS entered
      FROM counters FULL JOIN (SELECT account_id, month, sum(amount) AS entered FROM entries GROUP BY account_id, month) AS sums
        USING (account_id, month)
      WHERE coalesce(used, 0) <> coalesce(entered, 0)`,
    ],
    probe: [
      `INSERT INTO probes (id, at) VALUES (1, ${time('$1')}) ON CONFLICT (id) DO UPDATE SET at = excluded.at`,
    ],
  };
}
