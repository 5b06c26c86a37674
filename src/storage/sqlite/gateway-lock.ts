import { DatabaseSync } from 'node:sqlite';
import { ensureFile } from './open.ts';

/** An exiting process may hold its lock for a moment longer. */
const maxWaitMs = 500;
/** SQLITE_BUSY. */
const busy = 5;

/**
 * Locks an empty file beside a ledger while a gateway uses it. The operating system releases the
 * lock however the process ends, so that nothing has to be cleaned up after a kill.
 */
export class GatewayLock {
  /** Whether another gateway was using the ledger when this one started. */
  readonly isShared: boolean;
  readonly #file: DatabaseSync;

  /** Throws what SQLite throws for a file that cannot be locked. */
  constructor(ledger: string) {
    const path = `${ledger}-lock`;
    ensureFile(path);
    this.#file = new DatabaseSync(path);
    try {
      // Nothing is written, so no journal is needed.
      this.#file.exec(`PRAGMA busy_timeout = ${maxWaitMs}; PRAGMA journal_mode = MEMORY`);
      this.isShared = !this.#lockExclusively();
      // Holds a shared lock: a read transaction that is never closed.
      this.#file.exec('BEGIN; SELECT count(*) FROM sqlite_schema');
    } catch (error) {
      this.#file.close();
      throw error;
    }
  }

  close(): void {
    this.#file.close();
  }

  /** Returns whether the file could be locked exclusively, for a moment. */
  #lockExclusively(): boolean {
    try {
      this.#file.exec('BEGIN EXCLUSIVE; ROLLBACK');
      return true;
    } catch (error) {
      if (error instanceof Error && 'errcode' in error && error.errcode === busy) return false;
      throw error;
    }
  }
}
