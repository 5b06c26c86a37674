import type { DatabaseSync } from 'node:sqlite';
import type { Tables } from '../tables.ts';
import { accountsSchema, accountTables } from './account-tables.ts';
import { idempotencySchema, idempotencyTables } from './idempotency-tables.ts';
import { LastEntryNote, refuseEmptied } from './last-entry.ts';
import { ledgerSchema, ledgerTables, type JoinedCharges } from './ledger-tables.ts';
import { inTransaction, openDatabase } from './open.ts';

type FileTables = Tables & JoinedCharges;

/** One thing that is asked of the tables. */
export interface Call {
  readonly method: keyof FileTables;
  readonly args: readonly unknown[];
}

export type Outcome = { readonly value: unknown } | { readonly failure: unknown };

/** Accounts and ledger in one SQLite file. Everything blocks. */
export interface AccountsFile {
  /** Does everything that changes something in one transaction, durable on return: all of it, or nothing. An outcome each, in order. */
  commit(calls: readonly Call[]): Outcome[];
  close(): void;
}

/**
 * Opens or makes the file, and proves that it is whole and can be written. Throws what SQLite throws, `NewerSchema`, `DamagedFile` or
 * `LostEntries`.
 */
export function openAccountsFile(path: string): AccountsFile {
  if (path !== inMemory) refuseEmptied(path);
  const database = openDatabase(path, [accountsSchema + ledgerSchema + idempotencySchema]);
  try {
    checkWhole(database);
    const tables: FileTables = { ...accountTables(database), ...ledgerTables(database), ...idempotencyTables(database) };
    const note = open(database, tables, path);
    return {
      commit: (calls) => commit(database, tables, calls, note),
      close() {
        note?.close();
        database.close();
      },
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

const inMemory = ':memory:';

/** Proves that the tables can be written, and that a file has all entries that were noted. */
function open(database: DatabaseSync, tables: FileTables, path: string): LastEntryNote | undefined {
  // What is noted must be durable: an earlier process may have left entries that are not.
  database.exec('PRAGMA synchronous = FULL');
  const opened = inTransaction(database, () => {
    tables.probe({ now: 0, month: '', freeCredits: 0 });
    if (path === inMemory) return undefined;
    const note = new LastEntryNote(database, path);
    return { note, entry: note.lastEntry() };
  });
  opened?.note.write(opened.entry);
  return opened?.note;
}

const readingMethods: ReadonlySet<keyof FileTables> = new Set(['list', 'usage', 'findByHash', 'lookAtKey', 'tally', 'check']);

function commit(database: DatabaseSync, tables: FileTables, calls: readonly Call[], note: LastEntryNote | undefined): Outcome[] {
  const perform = ({ method, args }: Call): unknown => Reflect.apply(tables[method], tables, args);
  const changing = calls.filter(({ method }) => !readingMethods.has(method));
  const changed = changing.length > 0 ? attempt(() => changeAll(database, changing, perform, note)) : { value: [] };
  let next = 0;
  return calls.map((call) => {
    // A ledger that cannot be written can still be read.
    if (readingMethods.has(call.method)) return attempt(() => perform(call));
    return 'failure' in changed ? changed : { value: changed.value[next++] };
  });
}

function changeAll(
  database: DatabaseSync,
  calls: readonly Call[],
  perform: (call: Call) => unknown,
  note: LastEntryNote | undefined,
): unknown[] {
  // A reservation that a power cut takes back is one that the next start would have refunded: it need not wait for the disk.
  const lasting = calls.some(({ method, args }) => method !== 'charge' || args[2] === true);
  database.exec(`PRAGMA synchronous = ${lasting ? 'FULL' : 'NORMAL'}`);
  let lastEntry = 0;
  const values = inTransaction(database, () => {
    const returned = calls.map(perform);
    if (lasting) lastEntry = note?.lastEntry() ?? 0;
    return returned;
  });
  // The charges are durable also where this fails, and an older note is as true.
  if (lasting) attempt(() => note?.write(lastEntry));
  return values;
}

function attempt<T>(work: () => T): { value: T } | { failure: unknown } {
  try {
    return { value: work() };
  } catch (failure) {
    return { failure };
  }
}

/** Damage is found now rather than by the first charge that meets it. The entries are left out: there may be a hundred million. */
function checkWhole(database: DatabaseSync): void {
  for (const table of ['accounts', 'keys', 'counters', 'reservations']) {
    const [row] = database.prepare(`PRAGMA quick_check('${table}')`).all();
    const found = row?.['quick_check'];
    if (found !== 'ok') throw new DamagedFile(`${table}: ${String(found)}`);
  }
}

/** SQLite finds the file damaged. */
export class DamagedFile extends Error {
  override readonly name = 'DamagedFile';
}
