import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  fsyncSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { readMigrations } from '../read-migrations.ts';

/** The file was written by a newer gateway, with tables that this version does not support. */
export class SqliteSchemaTooNewError extends Error {
  constructor(path: string, version: number, maxVersion: number) {
    super(`${path} has schema version ${version}; this gateway supports up to ${maxVersion}.`);
    this.name = 'SqliteSchemaTooNewError';
  }
}

const folder = new URL('./migrations/', import.meta.url);

/**
 * Opens a database file and applies the migrations of its kind that it lacks; creates the file and
 * its folder if needed. Throws `SqliteSchemaTooNewError`, or what SQLite throws for an unreadable
 * file.
 */
export function openSqliteDatabase(
  path: string,
  kind: 'accounts' | 'answers' | 'watches',
): DatabaseSync {
  const migrations = readMigrations(folder, kind);
  if (path !== ':memory:') ensureFile(path);
  const database = new DatabaseSync(path);
  try {
    // By default, SQLite does not wait for another writer: without a timeout, 74–95 % of the writes
    // of four concurrent processes failed.
    database.exec('PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL');
    if (schemaVersion(database) !== migrations.length)
      inTransaction(database, () => migrate(database, path, migrations));
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Checks that an existing file can be used, without a change to it. Throws an Error if not. */
export function checkSqliteFile(
  path: string,
  kind: 'accounts' | 'watches',
  check?: (database: DatabaseSync) => void,
): void {
  accessSync(path, constants.R_OK | constants.W_OK);
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const [version, { length }] = [schemaVersion(database), readMigrations(folder, kind)];
    if (version > length) throw new SqliteSchemaTooNewError(path, version, length);
    check?.(database);
  } finally {
    database.close();
  }
}

/**
 * Creates a missing file that only this user can read; SQLite gives the same mode to the files that
 * it creates beside it. An existing file keeps its mode.
 */
export function ensureFile(path: string): void {
  ensureFolder(dirname(path));
  // An existing file is not opened: closing it would release the locks that SQLite holds on it in
  // this process.
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
}

/**
 * Creates a folder and its missing parents. Node's `recursive` option never returns where the
 * system reports ENOENT although the parent exists, as below /proc.
 */
function ensureFolder(path: string): void {
  if (existsSync(path)) return;

  if (dirname(path) !== path) ensureFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have created it concurrently.
    if (!existsSync(path)) throw error;
  }
}

export function prepareAll<Name extends string>(
  database: DatabaseSync,
  statements: Readonly<Record<Name, string>>,
): Readonly<Record<Name, StatementSync>> {
  const prepared = Object.entries<string>(statements).map(([name, text]) => [
    name,
    database.prepare(text),
  ]);
  return Object.fromEntries(prepared) as Record<Name, StatementSync>;
}

/** Runs `work` in a transaction, which is rolled back if it throws. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  // IMMEDIATE: a read transaction that starts to write fails immediately if another process has
  // written since it started, whatever the timeout.
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    // After a full disk or an I/O error, SQLite has already rolled back.
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

// The version is read again under the lock, as another process may have migrated concurrently.
function migrate(database: DatabaseSync, path: string, migrations: readonly string[]): void {
  const version = schemaVersion(database);
  if (version > migrations.length)
    throw new SqliteSchemaTooNewError(path, version, migrations.length);
  for (const migration of migrations.slice(version)) database.exec(migration);
  database.exec(`PRAGMA user_version = ${migrations.length}`);
}

function schemaVersion(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
}

/**
 * Writes a consistent snapshot of a database to a file, also while gateways use it. An earlier
 * file is replaced only when the snapshot is complete. Throws what SQLite and the file system throw.
 */
export function backUpDatabase(path: string, file: string): void {
  // Other processes may write backups to the same file.
  const incomplete = `${file}.incomplete-${randomUUID()}`;
  const mask = process.umask(0o077);
  try {
    const database = new DatabaseSync(path, { readOnly: true });
    // Unlike SQLite's backup API, this does not start again when the gateway writes.
    database.prepare('VACUUM INTO ?').run(incomplete);
    database.close();

    const written = openSync(incomplete, 'r+');
    fsyncSync(written);
    closeSync(written);
    renameSync(incomplete, file);
  } finally {
    process.umask(mask);
    rmSync(incomplete, { force: true });
  }
}

/** An exiting process may hold its lock for a moment longer. */
const maxWaitMs = 500;
/** SQLITE_BUSY. */
const busy = 5;

/**
 * Locks an empty file beside a ledger while a gateway uses it. The operating system releases the
 * lock however the process ends, so that nothing has to be cleaned up after a kill. `isShared`:
 * another gateway uses the ledger. Throws what SQLite throws for a file that cannot be locked.
 */
export function lockGateway(ledger: string): Disposable & { readonly isShared: boolean } {
  const path = `${ledger}-lock`;
  ensureFile(path);
  const file = new DatabaseSync(path);

  try {
    // Nothing is written, so no journal is needed.
    file.exec(`PRAGMA busy_timeout = ${maxWaitMs}; PRAGMA journal_mode = MEMORY`);
    const isShared = !canLockExclusively(file);
    // Holds a shared lock: a read transaction that is never closed.
    file.exec('BEGIN; SELECT count(*) FROM sqlite_schema');
    return { isShared, [Symbol.dispose]: () => file.close() };
  } catch (error) {
    file.close();
    throw error;
  }
}

/** Returns whether a file could be locked exclusively, for a moment. */
function canLockExclusively(file: DatabaseSync): boolean {
  try {
    file.exec('BEGIN EXCLUSIVE; ROLLBACK');
    return true;
  } catch (error) {
    if (error instanceof Error && 'errcode' in error && error.errcode === busy) return false;
    throw error;
  }
}
