import { existsSync, statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { SqlParams } from '../../shared/sql-database.ts';
import { accountStatements, type StatementName } from '../account-statements.ts';
import { sqliteDialect } from './dialect.ts';
import {
  LastEntryFile,
  LostEntriesError,
  assertComplete,
  assertNotEmptied,
} from './last-entry-file.ts';
import causes from './open-errors.json' with { type: 'json' };
import { SqliteSchemaTooNewError, checkSqliteFile, inTransaction } from './open.ts';
import { sqliteProcedures } from './procedures.ts';
import { SqlFile } from './sql-file.ts';

/** Statements of the account store with their parameters. */
export interface TableCall {
  readonly method: StatementName;
  readonly params: SqlParams;
}

/** Returns whether a call only reads, so that it needs no transaction. */
export function isReadOnly(method: StatementName): boolean {
  return readOnlyMethods.has(method);
}

const readOnlyMethods: ReadonlySet<StatementName> = new Set([
  'list',
  'usage',
  'topUsage',
  'findByHashes',
  'findNamed',
  'findKey',
  'tally',
  'check',
]);

/** A reservation lost in a power failure would have expired anyway, so it is not synced to disk. */
const unsyncedMethods: ReadonlySet<StatementName> = new Set(['reserve', 'extendReservations']);

const statements = accountStatements(sqliteDialect, sqliteProcedures);

/**
 * Opens the ledger file of a gateway, or creates it. Throws an Error whose message says why it
 * cannot be opened and how to fix it, in one or two sentences.
 */
export function openLedgerFile(path: string): LedgerFile {
  try {
    return new LedgerFile(path);
  } catch (cause) {
    throw new Error(describeSqliteOpenError(path, cause), { cause });
  }
}

/**
 * Checks that a ledger can be opened or created, without a change to it. Throws an Error whose
 * message says how to fix it.
 */
export function checkLedgerFile(path: string): void {
  try {
    assertNotEmptied(path);
    if (existsSync(path))
      checkSqliteFile(path, 'accounts', (database) => assertComplete(database, path));
  } catch (cause) {
    throw new Error(describeSqliteOpenError(path, cause), { cause });
  }
}

/** Stores accounts and ledger in one SQLite file. Every method blocks. */
export class LedgerFile {
  readonly #file: SqlFile;
  readonly #lastEntryFile: LastEntryFile | undefined;
  readonly #path: string;
  /** Identifies the open files. */
  readonly #identity: string;

  /**
   * Opens or creates the file, and checks that it is intact and writable. Throws what SQLite
   * throws, `SqliteSchemaTooNewError`, `LostEntriesError`, or an Error if it is corrupt.
   */
  constructor(path: string) {
    this.#path = path;
    if (path !== inMemory) assertNotEmptied(path);
    this.#file = new SqlFile(path, 'accounts');

    try {
      checkIntegrity(this.#file.database);
      for (const sql of Object.values(statements).flat()) this.#file.prepare(sql);
      this.#lastEntryFile = this.#verifyWritable(path);
      this.#identity = identityOf(path);
    } catch (error) {
      this.#file.database.close();
      throw error;
    }
  }

  /**
   * Returns the rows of one call that only reads, which also works if the file is not writable. Runs
   * several calls in one transaction, durable on return: all of them, or none if it throws. Returns
   * the rows of each.
   */
  answer(calls: TableCall | readonly TableCall[]): readonly unknown[] {
    return 'method' in calls ? this.#run(calls) : this.#commit(calls);
  }

  close(): void {
    this.#lastEntryFile?.close();
    this.#file.database.close();
  }

  #run({ method, params }: TableCall): readonly unknown[] {
    return this.#file.run(statements[method], params);
  }

  #commit(calls: readonly TableCall[]): readonly (readonly unknown[])[] {
    if (identityOf(this.#path) !== this.#identity)
      throw new Error(
        `The ledger ${this.#path} or its write-ahead log was deleted, moved or replaced while the gateway uses it. Move the files back, or stop the gateway, restore a backup, and start it again.`,
      );

    const { database } = this.#file;
    const isDurable = calls.some(({ method }) => !unsyncedMethods.has(method));
    database.exec(`PRAGMA synchronous = ${isDurable ? 'FULL' : 'NORMAL'}`);

    let lastEntry = 0;
    const rows = inTransaction(database, () => {
      const results = calls.map((call) => this.#run(call));
      if (isDurable) lastEntry = this.#lastEntryFile?.lastEntry() ?? 0;
      return results;
    });

    try {
      if (isDurable) this.#lastEntryFile?.write(lastEntry);
    } catch {
      // The charges are durable: an older record is valid too.
    }

    return rows;
  }

  /** Checks that the tables are writable and that the file contains all recorded entries. */
  #verifyWritable(path: string): LastEntryFile | undefined {
    const { database } = this.#file;
    // The recorded entry must be durable; an earlier process may have written entries that are not.
    database.exec('PRAGMA synchronous = FULL');

    const verified = inTransaction(database, () => {
      this.#run({ method: 'probe', params: [0] });
      if (path === inMemory) return undefined;
      const lastEntryFile = new LastEntryFile(database, path);
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
 * Finds corruption at startup instead of at the first charge. The entries are excluded: there may
 * be a hundred million.
 */
function checkIntegrity(database: DatabaseSync): void {
  for (const table of ['accounts', 'keys', 'counters', 'reservations']) {
    const [row] = database.prepare(`PRAGMA quick_check('${table}')`).all();
    const result = row?.['quick_check'];
    if (result !== 'ok') throw new Error(`${table}: ${String(result)}`);
  }
}

/** Returns why a ledger cannot be opened and how to fix it, in one or two sentences. */
function describeSqliteOpenError(path: string, error: unknown): string {
  if (error instanceof SqliteSchemaTooNewError) {
    return `The ledger ${path} was written by a newer version of this gateway. Run that version, or restore a backup from before the upgrade.`;
  }
  if (error instanceof LostEntriesError) return `The ledger ${path} ${error.message}.`;
  const { reason, remedy } = causes[causeOf(error)];
  return `The ledger ${path} ${reason}. ${remedy}.`;
}

type Cause = keyof typeof causes;

function causeOf(error: unknown): Cause {
  if (!(error instanceof Error)) return 'failing';
  if ('errcode' in error && typeof error.errcode === 'number')
    return sqliteCauses[error.errcode & 0xff] ?? 'failing';
  if ('syscall' in error && 'code' in error)
    return folderCauses[String(error.code)] ?? 'unreachable';
  return 'damaged';
}

/** By SQLite's primary result codes. */
const sqliteCauses: Readonly<Partial<Record<number, Cause>>> = {
  1: 'damaged', // SQLITE_ERROR: the statements do not match its tables, which belong to another program
  3: 'readOnly', // SQLITE_PERM
  5: 'busy',
  8: 'readOnly',
  11: 'damaged', // SQLITE_CORRUPT
  13: 'full',
  14: 'unreachable', // SQLITE_CANTOPEN
  26: 'damaged', // SQLITE_NOTADB
};

/** By the error code of the system call that failed. */
const folderCauses: Readonly<Partial<Record<string, Cause>>> = {
  ENOSPC: 'full',
  EDQUOT: 'full',
  EROFS: 'readOnly',
  EACCES: 'readOnly',
};
