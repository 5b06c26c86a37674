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
import { ensureFile } from './open.ts';

/** Entries that had been written are missing from the ledger. */
export class LostEntriesError extends Error {
  override readonly name = 'LostEntriesError';
}

interface LastEntryRecord {
  /** The `application_id` of the ledger. */
  readonly ledger: number;
  /** The number of a durable entry. Later entries may be durable too. */
  readonly entry: number;
}

/**
 * Records the ledger's id and last entry in a file beside the ledger, which distinguishes a
 * truncated ledger, or one that lost its write-ahead log, from a new one. The file is written after
 * the entry is durable and is not synced, so it may be older than the ledger but never newer,
 * whenever the process or the machine stops. An unreadable file is ignored.
 */
export class LastEntryFile {
  readonly #path: string;
  readonly #ledger: number;
  readonly #selectLast: StatementSync;
  #file: number | undefined;
  #lastWritten: number | undefined;

  /**
   * Checks an open ledger against its file, and assigns an id to a new ledger. Call it in a
   * transaction. Throws `LostEntriesError`.
   */
  constructor(database: DatabaseSync, path: string) {
    this.#path = path;
    this.#selectLast = database.prepare(selectLast);
    assertComplete(database, path);
    this.#ledger = ledgerId(database) || assignId(database);
  }

  /**
   * Returns the number of the last entry. Call it in the transaction that makes the entry durable.
   */
  lastEntry(): number {
    return Number(this.#selectLast.get()?.['entry']);
  }

  /** Records a durable entry. */
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

/**
 * Throws `LostEntriesError` if the ledger is missing or empty but its last-entry file exists. Call
 * it before opening the ledger: SQLite would delete the remaining log.
 */
export function assertNotEmptied(path: string): void {
  if (readRecord(path) && (!existsSync(path) || statSync(path).size === 0)) {
    throw new LostEntriesError(
      `is missing or empty, but ${lastEntryPath(path)} shows that it had entries. ${remedy(path)}`,
    );
  }
}

/** Throws `LostEntriesError` if an open ledger lacks entries, or is not the one of its last-entry file. */
export function assertComplete(database: DatabaseSync, path: string): void {
  const record = readRecord(path);
  if (!record) return;

  if (record.ledger !== ledgerId(database))
    throw new LostEntriesError(
      `is not the ledger that ${lastEntryPath(path)} belongs to. ${remedy(path)}`,
    );

  const entry = Number(database.prepare(selectLast).get()?.['entry']);
  if (record.entry > entry)
    throw new LostEntriesError(
      `ends at entry ${entry}, but according to ${lastEntryPath(path)}, entry ${record.entry} was written. ${remedy(path)}`,
    );
}

const selectLast = 'SELECT coalesce(max(id), 0) AS entry FROM entries';
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
  return `Restore it from a backup, or delete ${lastEntryPath(path)} to accept the loss`;
}

/** Returns 0 for a new ledger, or one written by an older version of the gateway. */
function ledgerId(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA application_id').get()?.['application_id']);
}

function assignId(database: DatabaseSync): number {
  const id = randomInt(1, 2 ** 31);
  database.exec(`PRAGMA application_id = ${id}`);
  return id;
}
