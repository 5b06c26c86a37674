import { randomInt } from 'node:crypto';
import {
  closeSync,
  existsSync,
  ftruncateSync,
  openSync,
  readFileSync,
  statSync,
  writeSync,
} from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { ensureFile } from '../open.ts';

/** Entries that were written are missing. */
export class LostEntriesError extends Error {
  override readonly name = 'LostEntriesError';
}

interface LastEntryRecord {
  /** The ledger's `application_id`. */
  readonly ledger: number;
  /** The number of an entry that is durable. Later ones may be, too. */
  readonly entry: number;
}

/**
 * Notes in a file beside a ledger which ledger it is and what its last entry is, so that a ledger which was truncated or whose write-ahead log
 * is gone can be told from a new one. The note is written after the entry is durable and is not synced, so it may be older than the ledger but
 * never newer, whenever the process or the machine stops. A note that cannot be read counts as none.
 */
export class LastEntryFile {
  readonly #path: string;
  readonly #ledger: number;
  readonly #selectLast: StatementSync;
  #file: number | undefined;
  #lastWritten: number | undefined;

  /** Checks an open ledger against its note, and gives a new ledger an id: call it in a transaction. Throws `LostEntries`. */
  constructor(database: DatabaseSync, path: string) {
    this.#path = path;
    this.#selectLast = database.prepare('SELECT coalesce(max(id), 0) AS entry FROM entries');
    const record = readRecord(path);
    const [id, entry] = [ledgerId(database), this.lastEntry()];
    if (record && record.ledger !== id)
      throw new LostEntriesError(
        `is not the one that ${lastEntryPath(path)} tells of; ${remedy(path)}`,
      );
    if (record && record.entry > entry) {
      throw new LostEntriesError(
        `ends at entry ${entry}, but ${lastEntryPath(path)} says that entry ${record.entry} was written; ${remedy(path)}`,
      );
    }
    this.#ledger = id || assignId(database);
  }

  /** Returns the number of the last entry. Call it in the transaction that makes this entry and those before it durable. */
  lastEntry(): number {
    return Number(this.#selectLast.get()?.['entry']);
  }

  /** Notes an entry that is durable. */
  write(entry: number): void {
    if (entry === this.#lastWritten) return;
    this.#file ??= openRecord(this.#path);
    writeSync(this.#file, `${zeroPadded(this.#ledger)} ${zeroPadded(entry)}\n`, 0);
    this.#lastWritten = entry;
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
  }
}

/** Throws `LostEntries` for a file that is missing or empty although a ledger was there. SQLite would delete what is left of its log. */
export function assertNotEmptied(path: string): void {
  if (readRecord(path) && (!existsSync(path) || statSync(path).size === 0)) {
    throw new LostEntriesError(
      `is empty, but ${lastEntryPath(path)} says that it was not; ${remedy(path)}`,
    );
  }
}

const digits = 16;
const recordLength = 2 * digits + 2;

function zeroPadded(value: number): string {
  return String(value).padStart(digits, '0');
}

function lastEntryPath(path: string): string {
  return `${path}-last-entry`;
}

function readRecord(path: string): LastEntryRecord | undefined {
  if (!existsSync(lastEntryPath(path))) return undefined;
  const [, ledger, entry] =
    /^(\d{16}) (\d{16})\n$/.exec(readFileSync(lastEntryPath(path), 'latin1')) ?? [];
  return ledger === undefined ? undefined : { ledger: Number(ledger), entry: Number(entry) };
}

function openRecord(path: string): number {
  ensureFile(lastEntryPath(path));
  const file = openSync(lastEntryPath(path), 'r+');
  ftruncateSync(file, recordLength);
  return file;
}

function remedy(path: string): string {
  return `restore it from a backup, or delete ${lastEntryPath(path)} to accept the loss`;
}

/** 0 for a new ledger, and for one that an older gateway wrote. */
function ledgerId(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA application_id').get()?.['application_id']);
}

function assignId(database: DatabaseSync): number {
  const id = randomInt(1, 2 ** 31);
  database.exec(`PRAGMA application_id = ${id}`);
  return id;
}
