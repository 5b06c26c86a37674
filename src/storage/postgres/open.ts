import { AsyncDisposableStack } from '@whatwg-node/disposablestack';
import type { AccountStore } from '../../accounts/store.ts';
import { createLog, type Log } from '../../log.ts';
import type { SqlDatabase, SqlParams } from '../../shared/sql-database.ts';
import { TableAccountStore, type AccountStoreOptions } from '../account-store.ts';
import { storeUnavailable } from '../store-unavailable.ts';
import { PostgresTables } from './account-tables.ts';
import { PostgresAnswers } from './answers.ts';
import { DatabaseUnavailableError } from './database-errors.ts';
import { openPostgresDatabase, type Database } from './database.ts';
import { postgresDialect } from './dialect.ts';
import type { BackoffStore } from '../../outbound/queues/backoffs.ts';

/** Opens all stores of a node in PostgreSQL. Rejects with `LedgerOpenError`. */
export async function openPostgresStores(url: string, options: AccountStoreOptions, log: Log) {
  await using resources = new AsyncDisposableStack();
  const database = resources.adopt(await openPostgresDatabase(url, log), (opened) =>
    opened.close(),
  );
  const answers = resources.adopt(new PostgresAnswers(database, log), (opened) => opened.close());
  const accounts = resources.adopt(postgresAccounts(database, options), (opened) => opened.close());
  const opened = resources.move();

  return {
    answers,
    accounts,
    backoffs: postgresBackoffs(database),
    watches: postgresSql(database),
    database,
    close: () => opened.disposeAsync(),
  };
}

/**
 * Opens only the account store, for a command, which may wait longer. Closing the store closes the
 * database. Rejects with `LedgerOpenError`.
 */
export async function openPostgresAccounts(
  url: string,
  options: AccountStoreOptions,
): Promise<AccountStore> {
  const database = await openPostgresDatabase(url, createLog('silent'), commandDeadlineMs);
  return postgresAccounts(database, options, true);
}

/** Opens only the tables of watches and receipts, for a command. Closing them closes the database. */
export async function openPostgresSql(url: string): Promise<SqlDatabase> {
  const database = await openPostgresDatabase(url, createLog('silent'), commandDeadlineMs);
  return { ...postgresSql(database), close: () => database.close() };
}

const commandDeadlineMs = 10_000;

/** Returns the tables of watches in a database that several nodes share and that stays open. */
export function postgresSql(database: Database): SqlDatabase {
  return {
    dialect: postgresDialect,
    query: <Row>(sql: string, params?: SqlParams) =>
      database.rows<Row>(sql, storable(params)).catch(rejectWith),
    transaction: (work) =>
      database
        .transaction(async (run) => {
          const query: typeof run = (sql, params) => run(sql, storable(params));
          // Held until the transaction ends, so that the next one sees what this one has written.
          await query(`SELECT pg_advisory_xact_lock(hashtext('rdap-graphql-gateway watches'))`);
          return work(query);
        })
        .catch(rejectWith),
    close: async () => undefined,
  };
}

function rejectWith(error: unknown): never {
  throw error instanceof DatabaseUnavailableError ? storeUnavailable(error) : error;
}

/** PostgreSQL stores no NUL and rejects parameters with one, which then match no row. */
function storable<T>(params: readonly T[] = []): readonly T[] {
  return params.map((each) =>
    typeof each === 'string' ? (each.replaceAll('\0', '\uFFFD') as T) : each,
  );
}

/**
 * Creates an account store in a database that several nodes share. It uses the database's clock
 * unless a test supplies one. If `ownsDatabase`, closing the store closes the database.
 */
export function postgresAccounts(
  database: Database,
  options: AccountStoreOptions,
  ownsDatabase = false,
): AccountStore {
  return new TableAccountStore(new PostgresTables(database, ownsDatabase), options);
}

/**
 * Shares back-offs between nodes. Times are relative to the database's clock, as the clocks of the
 * nodes differ.
 */
function postgresBackoffs(database: Database): BackoffStore {
  return {
    isShared: true,
    async read() {
      const rows = await database.rows<{ origin: string; ms: number }>(readBackoffs);
      return new Map(rows.map(({ origin, ms }) => [origin, ms]));
    },
    async save(origin, ms) {
      await database.rows('SELECT save_backoff($1, $2)', [origin, Math.ceil(ms)]);
    },
  };
}

const readBackoffs =
  'SELECT origin, until - epoch_ms() AS ms FROM registry_backoffs WHERE until > epoch_ms()';
