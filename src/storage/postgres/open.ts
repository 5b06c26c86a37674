import { AsyncDisposableStack } from '@whatwg-node/disposablestack';
import type { AccountStore } from '../../accounts/store.ts';
import { createLog, type Log } from '../../log.ts';
import type { AccountStoreOptions } from '../account-store.ts';
import { postgresAccounts } from './accounts.ts';
import { PostgresAnswers } from './answers.ts';
import { PostgresBackoffs } from './backoffs.ts';
import { openPostgresDatabase } from './database.ts';

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
    backoffs: new PostgresBackoffs(database),
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
  return postgresAccounts(database, options, () => database.close());
}

const commandDeadlineMs = 10_000;
