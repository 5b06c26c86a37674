import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** The file was written by a newer gateway, whose tables this one cannot know. */
export class SqliteSchemaTooNewError extends Error {
  constructor(path: string, version: number, maxVersion: number) {
    super(`${path} has schema version ${version}; this gateway knows versions up to ${maxVersion}`);
    this.name = 'SqliteSchemaTooNewError';
  }
}

/**
 * Opens or makes a database file, and its folder, with the tables that `migrations` lead to: SQL scripts of which only ever
 * the next is added, never one changed. Throws `NewerSchema`, or what SQLite throws for a file that it cannot read.
 */
export function openSqliteDatabase(path: string, migrations: readonly string[]): DatabaseSync {
  if (path !== ':memory:') ensureFile(path);
  const database = new DatabaseSync(path);
  try {
    // SQLite does not wait for another writer unless it is told to; 74–95 % of the writes of four processes failed without.
    database.exec('PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL');
    if (schemaVersion(database) !== migrations.length)
      inTransaction(database, () => migrate(database, path, migrations));
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Makes a file that is not there, for nobody else to read; what SQLite lays beside a file has its mode. What is there keeps the mode that somebody gave it. */
export function ensureFile(path: string): void {
  ensureFolder(dirname(path));
  // Not opened when it is there: to close it would end the locks that SQLite holds on it in this process.
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
}

/**
 * Makes a folder and those above it that are missing. Node's `recursive` never returns where the system answers ENOENT although the folder above
 * exists, as below /proc.
 */
function ensureFolder(path: string): void {
  if (existsSync(path)) return;
  if (dirname(path) !== path) ensureFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process has made it meanwhile.
    if (!existsSync(path)) throw error;
  }
}

/** Does all of `work`, or nothing of it when it throws. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  // IMMEDIATE: a transaction that becomes a writer halfway fails at once when another has written since, whatever the timeout.
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    // After a full disk or an I/O error SQLite has rolled back by itself.
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

// The version is read again under the lock: another process may have migrated meanwhile.
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
