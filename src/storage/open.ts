import { existsSync } from 'node:fs';
import { format, parse } from 'node:path';
import type { AccountStore } from '../accounts/store.ts';
import type { AnswerStore } from '../cache/store.ts';
import type { Log } from '../log.ts';
import type { BackoffStore } from '../throttle/backoffs.ts';
import type { AccountStoreOptions } from './account-store.ts';
import { KeyValueBackoffs } from './key-value-backoffs.ts';
import { memoryAccounts } from './memory/accounts.ts';
import { MemoryAnswers } from './memory/answers.ts';
import { openSqliteAccounts } from './sqlite/accounts/accounts.ts';
import { SqliteAnswers } from './sqlite/answers/answers.ts';

/** All that a gateway keeps. */
export interface Stores {
  readonly answers: AnswerStore;
  readonly accounts: AccountStore;
  readonly backoffs: BackoffStore;
  /** Where it is, when that is a server, which may be away. */
  readonly database?: { readonly isUnavailable: boolean };
  /** Waits for what was asked. */
  close(): Promise<void>;
}

/** The place cannot be used. The message names it and says what to do. */
export class StoreOpenError extends Error {
  override readonly name = 'StoreOpenError';
}

/** Opens what a `STORE_URL` names, for a gateway. Rejects with `StoreUnusable` or `LedgerUnusable`, whose messages say what to do. */
export async function openStores(
  storeUrl: string,
  options: AccountStoreOptions,
  log: Log,
): Promise<Stores> {
  if (isPostgres(storeUrl))
    return (await import('./postgres/open.ts')).openPostgresStores(storeUrl, options, log);
  await using resources = new AsyncDisposableStack();
  const answers = resources.adopt(openAnswers(storeUrl, log), (opened) => opened.close());
  const accounts = resources.adopt(await openAccounts(storeUrl, options), (opened) =>
    opened.close(),
  );
  const opened = resources.move();
  const backoffs = new KeyValueBackoffs(answers, options.clock);
  return { answers, accounts, backoffs, close: () => opened.disposeAsync() };
}

/** Whether to open it would make it, empty. A database is not made so, and says by itself that it is not there. */
export function isMissing(storeUrl: string): boolean {
  return storeUrl !== 'memory:' && !isPostgres(storeUrl) && !existsSync(ledgerPath(storeUrl));
}

/** Opens the accounts alone. Rejects with `LedgerUnusable`. */
export async function openAccounts(
  storeUrl: string,
  options: AccountStoreOptions,
): Promise<AccountStore> {
  if (isPostgres(storeUrl))
    return (await import('./postgres/open.ts')).openPostgresAccounts(storeUrl, options);
  return storeUrl === 'memory:'
    ? memoryAccounts(options)
    : openSqliteAccounts(ledgerPath(storeUrl), options);
}

/** Opens the answers of `memory:`, or of `sqlite:PATH`, where PATH names the ledger. Throws `StoreUnusable`. */
export function openAnswers(storeUrl: string, log: Log): AnswerStore {
  if (storeUrl === 'memory:') return new MemoryAnswers();
  const path = answersPath(ledgerPath(storeUrl));
  try {
    return new SqliteAnswers(path, log);
  } catch (error) {
    const message = `STORE_URL must name a place that can be written; the answers cannot be kept in ${path}: ${String(error)}`;
    throw new StoreOpenError(message, { cause: error });
  }
}

function isPostgres(storeUrl: string): boolean {
  return /^postgres(?:ql)?:/.test(storeUrl);
}

function ledgerPath(storeUrl: string): string {
  const path = /^sqlite:(.+)$/.exec(storeUrl)?.[1];
  if (path === undefined) throw new Error('STORE_URL must be sqlite:PATH, memory: or postgres://…');
  return path;
}

/** Answers can be asked again and credits cannot, so they never share a file: `data/gateway.db` → `data/gateway-answers.db`. */
function answersPath(ledger: string): string {
  const { dir, root, name, ext } = parse(ledger);
  return format({ dir, root, name: `${name}-answers`, ext });
}
