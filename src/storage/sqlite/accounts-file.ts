import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { Tables } from '../tables.ts';
import { sqliteAccountTables, sqliteIdempotencyTables } from './account-tables.ts';
import { LastEntryFile, assertNotEmptied } from './last-entry-file.ts';
import { SqliteLedger } from './ledger-tables.ts';
import { inTransaction, openSqliteDatabase } from './open.ts';

type FileTables = Tables & Pick<SqliteLedger, 'chargeAll'>;

/** A call of one of the tables' methods. */
export interface TableCall {
  readonly method: keyof FileTables;
  readonly args: readonly unknown[];
}

export type TableCallResult = { readonly value: unknown } | { readonly failure: unknown };

/** Returns whether a call only reads, so that it needs no transaction. */
export function isReadOnly({ method }: Pick<TableCall, 'method'>): boolean {
  return readOnlyMethods.has(method);
}

/** Returns what a call returned, or throws what it threw. */
export function unwrapResult(result: TableCallResult | undefined): unknown {
  if (result && 'value' in result) return result.value;
  throw result?.failure;
}

const readOnlyMethods: ReadonlySet<keyof FileTables> = new Set([
  'list',
  'usage',
  'topUsage',
  'findByHash',
  'idempotencyStatus',
  'tally',
  'check',
]);

/** Stores accounts and ledger in one SQLite file. Every method blocks. */
export class AccountsFile {
  readonly #database: DatabaseSync;
  readonly #tables: FileTables;
  readonly #lastEntryFile: LastEntryFile | undefined;
  readonly #path: string;
  /** Identifies the open files. */
  readonly #identity: string;

  /**
   * Opens or creates the file, and checks that it is intact and writable. Throws what SQLite
   * throws, `SqliteSchemaTooNewError`, `CorruptFileError` or `LostEntriesError`.
   */
  constructor(path: string) {
    this.#path = path;
    if (path !== inMemory) assertNotEmptied(path);
    this.#database = openSqliteDatabase(path, 'accounts');
    try {
      checkIntegrity(this.#database);
      const tables = [
        sqliteAccountTables(this.#database),
        sqliteIdempotencyTables(this.#database),
      ] as const;
      this.#tables = Object.assign(new SqliteLedger(this.#database), ...tables);
      this.#lastEntryFile = this.#verifyWritable(path);
      this.#identity = identityOf(path);
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  /** Runs a call that only reads, which also works if the file is not writable. */
  read(call: TableCall): TableCallResult {
    return attempt(() => this.#invoke(call));
  }

  /**
   * Runs all calls in one transaction, durable on return: all of them, or none. Returns one result
   * per call, in order.
   */
  commit(calls: readonly TableCall[]): TableCallResult[] {
    const result = attempt(() => this.#commit(calls));
    return calls.map((_, index) => ('failure' in result ? result : { value: result.value[index] }));
  }

  close(): void {
    this.#lastEntryFile?.close();
    this.#database.close();
  }

  #invoke({ method, args }: TableCall): unknown {
    return Reflect.apply(this.#tables[method], this.#tables, args);
  }

  #commit(calls: readonly TableCall[]): unknown[] {
    if (identityOf(this.#path) !== this.#identity) throw new MovedFileError(this.#path);
    const isDurable = calls.some(mustBeDurable);
    this.#database.exec(`PRAGMA synchronous = ${isDurable ? 'FULL' : 'NORMAL'}`);
    let lastEntry = 0;
    const values = inTransaction(this.#database, () => {
      const results = calls.map((call) => this.#invoke(call));
      if (isDurable) lastEntry = this.#lastEntryFile?.lastEntry() ?? 0;
      return results;
    });
    // The charges are durable even if this fails: an older record is valid too.
    if (isDurable) attempt(() => this.#lastEntryFile?.write(lastEntry));
    return values;
  }

  /** Checks that the tables are writable and that the file contains all recorded entries. */
  #verifyWritable(path: string): LastEntryFile | undefined {
    // The recorded entry must be durable; an earlier process may have written entries that are not.
    this.#database.exec('PRAGMA synchronous = FULL');
    const verified = inTransaction(this.#database, () => {
      this.#tables.probe({ now: 0, month: '', freeCredits: 0 });
      if (path === inMemory) return undefined;
      const lastEntryFile = new LastEntryFile(this.#database, path);
      return { lastEntryFile, entry: lastEntryFile.lastEntry() };
    });
    verified?.lastEntryFile.write(verified.entry);
    return verified?.lastEntryFile;
  }
}

const inMemory = ':memory:';

/**
 * Returns the identities of the files at the path of a ledger and of its write-ahead log. SQLite
 * does not notice if they are deleted or moved: it would write to files without a name.
 */
function identityOf(path: string): string {
  if (path === inMemory) return '';
  const files = [path, `${path}-wal`].map((file) =>
    statSync(file, { bigint: true, throwIfNoEntry: false }),
  );
  return files.map((stats) => (stats ? `${stats.dev}:${stats.ino}` : 'missing')).join();
}

/**
 * Returns whether a call must be synced to disk. A reservation lost in a power failure would have
 * expired anyway.
 */
function mustBeDurable({ method, args }: TableCall): boolean {
  return method !== 'extendReservations' && (method !== 'charge' || args[2] === true);
}

function attempt<T>(work: () => T): { value: T } | { failure: unknown } {
  try {
    return { value: work() };
  } catch (failure) {
    return { failure };
  }
}

/**
 * Finds corruption at startup instead of at the first charge. The entries are excluded: there may
 * be a hundred million.
 */
function checkIntegrity(database: DatabaseSync): void {
  for (const table of ['accounts', 'keys', 'counters', 'reservations']) {
    const [row] = database.prepare(`PRAGMA quick_check('${table}')`).all();
    const result = row?.['quick_check'];
    if (result !== 'ok') throw new CorruptFileError(`${table}: ${String(result)}`);
  }
}

/** SQLite's integrity check failed. */
class CorruptFileError extends Error {
  override readonly name = 'CorruptFileError';
}

/** The files of the ledger were deleted, moved or replaced while they were open. */
class MovedFileError extends Error {
  override readonly name = 'MovedFileError';

  constructor(path: string) {
    super(
      `The ledger ${path} or its write-ahead log was deleted, moved or replaced while the gateway uses it. Move the files back, or stop the gateway, restore a backup, and start it again.`,
    );
  }
}
