import type { AccountStore } from '../../accounts/store.ts';
import { createLog, type Log } from '../../log.ts';
import type { AccountStoreOptions } from '../account-store.ts';
import { postgresAccounts } from './accounts/accounts.ts';
import { PostgresAnswers } from './answers/answers.ts';
import { PostgresBackoffs } from './backoffs.ts';
import { openDatabase } from './database/database.ts';

/** Opens all that a node keeps in PostgreSQL. Rejects with `LedgerUnusable`. */
export async function openPostgresStores(url: string, options: AccountStoreOptions, log: Log) {
  await using parts = new AsyncDisposableStack();
  const database = parts.adopt(await openDatabase(url, log), (opened) => opened.close());
  const answers = parts.adopt(new PostgresAnswers(database, log), (opened) => opened.close());
  const accounts = parts.adopt(postgresAccounts(database, options), (opened) => opened.close());
  const opened = parts.move();
  return {
    answers,
    accounts,
    backoffs: new PostgresBackoffs(database),
    database,
    close: () => opened.disposeAsync(),
  };
}

/** Opens the accounts alone, for a command, which may wait. Rejects with `LedgerUnusable`. Closing the accounts closes the database. */
export async function openPostgresAccounts(
  url: string,
  options: AccountStoreOptions,
): Promise<AccountStore> {
  const database = await openDatabase(url, createLog('silent'), commandDeadlineMs);
  return postgresAccounts(database, options, () => database.close());
}

const commandDeadlineMs = 10_000;
