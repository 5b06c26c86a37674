import { existsSync, renameSync } from 'node:fs';
import { systemClock } from '../../clock.ts';
import type { Log } from '../../log.ts';
import { SqliteSchemaTooNewError } from './open.ts';

/**
 * A database file whose data may be lost. A corrupt file is renamed, at opening or when it is found
 * to be corrupt, and replaced with an empty one.
 */
export class SelfHealingFile<Database extends { close(): void }> {
  readonly #path: string;
  readonly #openDatabase: (path: string) => Database;
  readonly #log: Log;
  #database: Database;

  /** Throws what `openDatabase` throws for a file that is not corrupt. */
  constructor(path: string, openDatabase: (path: string) => Database, log: Log) {
    this.#path = path;
    this.#openDatabase = openDatabase;
    this.#log = log;
    this.#database = this.#open();
  }

  /**
   * Runs `work`, and repeats it on an empty database if the file is corrupt. Throws what `work`
   * throws otherwise.
   */
  use<T>(work: (database: Database) => T): T {
    try {
      return work(this.#database);
    } catch (error) {
      if (!isCorrupt(error)) throw error;
      this.#database.close();
      this.#database = this.#replace(error);
      return work(this.#database);
    }
  }

  close(): void {
    this.#database.close();
  }

  #open(): Database {
    try {
      return this.#openDatabase(this.#path);
    } catch (error) {
      if (!isCorrupt(error)) throw error;
      return this.#replace(error);
    }
  }

  #replace(error: unknown): Database {
    const quarantine = `${this.#path}.broken-${systemClock.now()}`;
    // The file cannot be read without its write-ahead log.
    for (const suffix of ['', '-wal', '-shm'])
      if (existsSync(this.#path + suffix)) renameSync(this.#path + suffix, quarantine + suffix);
    this.#log.warn(
      { file: this.#path, quarantine, err: error },
      'Corrupt cache database quarantined and recreated.',
    );
    return this.#openDatabase(this.#path);
  }
}

/**
 * Returns whether the file itself is corrupt, so that a retry would fail too; a full disk or a lock
 * is not corruption.
 */
function isCorrupt(error: unknown): boolean {
  // SQLite has no checksums: stored JSON that is invalid was damaged on the disk.
  if (error instanceof SqliteSchemaTooNewError || error instanceof SyntaxError) return true;
  // The low byte of an extended result code is the primary one.
  return (
    error instanceof Error && 'errcode' in error && corruptCodes.has(Number(error.errcode) & 0xff)
  );
}

const corruptCodes = new Set([
  1, // SQLITE_ERROR: the tables are not those of the gateway
  11, // SQLITE_CORRUPT
  26, // SQLITE_NOTADB
]);
