import { accessSync, constants, existsSync } from 'node:fs';
import { dirname, format, parse, resolve } from 'node:path';
import { AsyncDisposableStack } from '@whatwg-node/disposablestack';
import type { AccountStore } from '../accounts/store.ts';
import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import type { BackoffStore } from '../outbound/queues/backoffs.ts';
import type { AnswerStore } from '../registries/cache/store.ts';
import type { KeyValueStore } from '../shared/key-value-store.ts';
import type { SqlDatabase } from '../shared/sql-database.ts';
import type { AccountStoreOptions } from './account-store.ts';
import { createParserErrorLogger } from '../registries/rdap/rdap-exchange.ts';
import { MemoryAnswers } from './memory/answers.ts';
import { memoryAccounts, openSqliteAccounts } from './sqlite/accounts.ts';
import { SqliteAnswers } from './sqlite/answers.ts';
import { checkLedgerFile } from './sqlite/ledger-file.ts';
import { checkSqliteFile, lockGateway } from './sqlite/open.ts';
import { memorySql, openSqlFile } from './sqlite/sql-file.ts';
import { reasonOf } from '../shared/reason-of.ts';

/** The persistent state of lookups. */
export interface LookupStores {
  readonly answers: AnswerStore;
  readonly backoffs: BackoffStore;
}

/** The persistent state of a gateway. */
export interface Stores extends LookupStores {
  readonly accounts: AccountStore;
  readonly watches: SqlDatabase;
  /** The database server, if the stores use one; it may become unavailable. */
  readonly database?: { readonly isUnavailable: boolean };
  /** What the operator should know about the stores. */
  readonly warning?: string | undefined;
  /** Waits for pending calls. */
  close(): Promise<void>;
}

/** The location cannot be used. The message names it and says how to fix it. */
export class StoreOpenError extends Error {
  override readonly name = 'StoreOpenError';
}

/**
 * Opens all stores at a `STORE_URL`. Rejects with `StoreOpenError` or `LedgerOpenError`, whose
 * messages say how to fix it.
 */
export async function openStores(
  storeUrl: string,
  options: AccountStoreOptions,
  log: Log,
): Promise<Stores> {
  if (isPostgres(storeUrl))
    return (await import('./postgres/open.ts')).openPostgresStores(storeUrl, options, log);

  await using resources = new AsyncDisposableStack();
  const answers = resources.adopt(openAnswers(storeUrl, log), (opened) => opened.close());
  const accounts = resources.adopt(await openAccounts(storeUrl, options, log), (opened) =>
    opened.close(),
  );
  const watches = resources.adopt(await openWatches(storeUrl, log), (opened) => opened.close());
  let warning: string | undefined;
  if (storeUrl !== 'memory:') {
    const file = ledgerPath(storeUrl);
    const lock = resources.use(openAt(`lock ${file}-lock`, () => lockGateway(file)));
    if (lock.isShared) log.warn({ file }, (warning = sharedFileWarning));
  }

  const opened = resources.move();
  const backoffs = keyValueBackoffs(answers, options.clock);
  return { answers, accounts, watches, backoffs, warning, close: () => opened.disposeAsync() };
}

const sharedFileWarning =
  'Another gateway uses the same SQLite files. Each one applies rate limits, registry limits and back-offs on its own. Stop one of them, or use PostgreSQL.';

/**
 * Returns whether opening the store would create it. Databases are never created: opening a missing
 * one fails.
 */
export function isMissing(storeUrl: string): boolean {
  return storeUrl !== 'memory:' && !isPostgres(storeUrl) && !existsSync(ledgerPath(storeUrl));
}

/** Checks that the stores at a `STORE_URL` can be opened, without a change to them. Rejects if not. */
export async function checkStores(storeUrl: string): Promise<void> {
  if (isPostgres(storeUrl)) await (await import('./postgres/database.ts')).checkPostgres(storeUrl);
  else if (storeUrl !== 'memory:') checkSqlite(ledgerPath(storeUrl));
}

function checkSqlite(ledger: string): void {
  checkLedgerFile(ledger);
  const watches = watchesPath(ledger);
  try {
    if (existsSync(watches)) checkSqliteFile(watches, 'watches');
  } catch (error) {
    throw watchesError(watches, error);
  }

  openAt(`open ${ledger}`, () => {
    let folder = dirname(resolve(ledger));
    while (!existsSync(folder)) folder = dirname(folder);
    accessSync(`${folder}/`, constants.W_OK);
  });
}

/** Opens only the account store. Rejects with `LedgerOpenError`. */
export async function openAccounts(
  storeUrl: string,
  options: AccountStoreOptions,
  log?: Log,
): Promise<AccountStore> {
  if (isPostgres(storeUrl))
    return (await import('./postgres/open.ts')).openPostgresAccounts(storeUrl, options);
  return storeUrl === 'memory:'
    ? memoryAccounts(options)
    : openSqliteAccounts(ledgerPath(storeUrl), options, log);
}

/**
 * Opens the answer store of `memory:` or `sqlite:PATH`, where PATH is the ledger. Throws
 * `StoreOpenError`.
 */
export function openAnswers(storeUrl: string, log: Log): AnswerStore {
  if (storeUrl === 'memory:') return new MemoryAnswers(undefined, createParserErrorLogger(log));
  const path = answersPath(ledgerPath(storeUrl));
  return openAt(`open the answer store ${path}`, () => new SqliteAnswers(path, log));
}

/** Opens the tables of watches and receipts. Rejects with `StoreOpenError`. */
export async function openWatches(storeUrl: string, log?: Log): Promise<SqlDatabase> {
  if (isPostgres(storeUrl)) return (await import('./postgres/open.ts')).openPostgresSql(storeUrl);
  if (storeUrl === 'memory:') return memorySql();

  const path = watchesPath(ledgerPath(storeUrl));
  return openSqlFile(path, log).catch((error: unknown) => {
    throw watchesError(path, error);
  });
}

function watchesError(path: string, error: unknown): StoreOpenError {
  const { message } = error instanceof Error ? error : new Error(String(error));
  return new StoreOpenError(
    `The watches ${path} cannot be opened: ${message.replace(/\.$/, '')}. Grant this user write access, restore the file from a backup, or move it away with its -wal and -shm files to start without watches and receipts.`,
    { cause: error },
  );
}

/** Opens a file. Throws `StoreOpenError`, which says what could not be done. */
function openAt<T>(what: string, open: () => T): T {
  try {
    return open();
  } catch (error) {
    const message = `STORE_URL must name a writable location; cannot ${what}: ${reasonOf(error)}`;
    throw new StoreOpenError(message, { cause: error });
  }
}

/** Returns whether a `STORE_URL` is that of a PostgreSQL database. */
export function isPostgres(storeUrl: string): boolean {
  return /^postgres(?:ql)?:/.test(storeUrl);
}

/** Returns the path of the ledger in `sqlite:PATH`. */
export function ledgerPath(storeUrl: string): string {
  const path = /^sqlite:(.+)$/.exec(storeUrl)?.[1];
  if (path === undefined) throw new Error('STORE_URL must be sqlite:PATH, memory: or postgres://…');
  return path;
}

/**
 * Returns the path of the answers beside a ledger: `data/gateway.db` → `data/gateway-answers.db`.
 * Answers can be looked up again and credits cannot, so they never share a file.
 */
export function answersPath(ledger: string): string {
  return besideLedger(ledger, 'answers');
}

/** Returns the path of the watches beside a ledger or beside its backup. */
export function watchesPath(ledger: string): string {
  return besideLedger(ledger, 'watches');
}

function besideLedger(ledger: string, what: string): string {
  const { dir, root, name, ext } = parse(ledger);
  return format({ dir, root, name: `${name}-${what}`, ext });
}

const keyPrefix = 'closed:';

/**
 * Stores back-offs as epoch milliseconds in the key-value part of an answer store that only one
 * process uses.
 */
export function keyValueBackoffs(store: KeyValueStore, clock: Clock): BackoffStore {
  /** Deletes the back-offs that have ended. */
  async function read() {
    const remaining = new Map<string, number>();
    for (const [key, until] of await store.read(keyPrefix)) {
      const ms = Number(until) - clock.now();
      if (ms > 0) remaining.set(key.slice(keyPrefix.length), ms);
      else await store.deleteIf(key, until);
    }
    return remaining;
  }

  return {
    read,
    async save(origin, ms) {
      await store.put(keyPrefix + origin, String(Math.ceil(clock.now() + ms)));
      await read();
    },
  };
}
