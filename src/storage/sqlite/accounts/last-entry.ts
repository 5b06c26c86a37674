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
import { makeFile } from '../open.ts';

/** Entries that were written are missing. */
export class LostEntries extends Error {
  override readonly name = 'LostEntries';
}

interface Note {
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
export class LastEntryNote {
  readonly #path: string;
  readonly #ledger: number;
  readonly #last: StatementSync;
  #file: number | undefined;
  #written: number | undefined;

  /** Checks an open ledger against its note, and gives a new ledger an id: call it in a transaction. Throws `LostEntries`. */
  constructor(database: DatabaseSync, path: string) {
    this.#path = path;
    this.#last = database.prepare('SELECT coalesce(max(id), 0) AS entry FROM entries');
    const note = readNote(path);
    const [found, entry] = [ledgerId(database), this.lastEntry()];
    if (note && note.ledger !== found)
      throw new LostEntries(`is not the one that ${notePath(path)} tells of; ${remedy(path)}`);
    if (note && note.entry > entry) {
      throw new LostEntries(
        `ends at entry ${entry}, but ${notePath(path)} says that entry ${note.entry} was written; ${remedy(path)}`,
      );
    }
    this.#ledger = found || assignId(database);
  }

  /** Returns the number of the last entry. Call it in the transaction that makes this entry and those before it durable. */
  lastEntry(): number {
    return Number(this.#last.get()?.['entry']);
  }

  /** Notes an entry that is durable. */
  write(entry: number): void {
    if (entry === this.#written) return;
    this.#file ??= openNote(this.#path);
    writeSync(this.#file, `${padded(this.#ledger)} ${padded(entry)}\n`, 0);
    this.#written = entry;
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
  }
}

/** Throws `LostEntries` for a file that is missing or empty although a ledger was there. SQLite would delete what is left of its log. */
export function refuseEmptied(path: string): void {
  if (readNote(path) && (!existsSync(path) || statSync(path).size === 0)) {
    throw new LostEntries(`is empty, but ${notePath(path)} says that it was not; ${remedy(path)}`);
  }
}

const digits = 16;
const noteLength = 2 * digits + 2;

function padded(value: number): string {
  return String(value).padStart(digits, '0');
}

function notePath(path: string): string {
  return `${path}-last-entry`;
}

function readNote(path: string): Note | undefined {
  if (!existsSync(notePath(path))) return undefined;
  const [, ledger, entry] =
    /^(\d{16}) (\d{16})\n$/.exec(readFileSync(notePath(path), 'latin1')) ?? [];
  return ledger === undefined ? undefined : { ledger: Number(ledger), entry: Number(entry) };
}

function openNote(path: string): number {
  makeFile(notePath(path));
  const file = openSync(notePath(path), 'r+');
  ftruncateSync(file, noteLength);
  return file;
}

function remedy(path: string): string {
  return `restore it from a backup, or delete ${notePath(path)} to accept the loss`;
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
