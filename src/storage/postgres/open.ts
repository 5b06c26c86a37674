import { randomUUID } from 'node:crypto';
import type { AccountStore } from '../../accounts/store.ts';
import type { AnswerStore } from '../../cache/store.ts';
import { createLog, type Log } from '../../log.ts';
import type { BackoffStore } from '../../throttle/backoffs.ts';
import type { AccountStoreOptions } from '../account-store.ts';
import { postgresAccounts } from './accounts.ts';
import { PostgresAnswers } from './answers.ts';
import { PostgresBackoffs } from './backoffs.ts';
import { openDatabase, type Database } from './database.ts';
import { joinNodes } from './nodes.ts';

export interface PostgresStores {
  readonly answers: AnswerStore;
  readonly accounts: AccountStore;
  readonly backoffs: BackoffStore;
  readonly database: Pick<Database, 'away'>;
  close(): Promise<void>;
}

/** Opens all that a node keeps in PostgreSQL, and joins the nodes that are there. Rejects with `LedgerUnusable`. */
export async function openPostgresStores(url: string, options: AccountStoreOptions, log: Log): Promise<PostgresStores> {
  await using parts = new AsyncDisposableStack();
  const database = parts.adopt(await openDatabase(url, log), (opened) => opened.close());
  const node = parts.adopt(joinNodes(database, log), (joined) => joined.leave());
  const answers = parts.adopt(new PostgresAnswers(database, log), (opened) => opened.close());
  const accounts = parts.adopt(postgresAccounts(database, node, options), (opened) => opened.close());
  node.live(async () => {
    const reservations = await accounts.refundDangling();
    if (reservations > 0) log.warn({ reservations }, 'gave back credits that a node which died had set aside');
  });
  const opened = parts.move();
  return {
    answers,
    accounts,
    backoffs: new PostgresBackoffs(database),
    database,
    close: () => opened.disposeAsync(),
  };
}

/** Opens the accounts alone, for somebody who serves nobody and may wait. Rejects with `LedgerUnusable`. */
export async function openPostgresAccounts(url: string, options: AccountStoreOptions): Promise<AccountStore> {
  await using parts = new AsyncDisposableStack();
  const database = parts.adopt(await openDatabase(url, createLog('silent'), patienceMs), (opened) => opened.close());
  const accounts = parts.adopt(postgresAccounts(database, { id: randomUUID(), gone: () => [] }, options), (opened) => opened.close());
  const opened = parts.move();
  return { ...accounts, close: () => opened.disposeAsync() };
}

const patienceMs = 10_000;
