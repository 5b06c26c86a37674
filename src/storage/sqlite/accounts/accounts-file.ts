import type { DatabaseSync } from 'node:sqlite';
import type { Tables } from '../../tables.ts';
import { accountsSchema, accountTables } from './account-tables.ts';
import { idempotencySchema, idempotencyTables } from './idempotency-tables.ts';
import { LastEntryNote, refuseEmptied } from './last-entry.ts';
import { ledgerSchema, reservationExpiry, SqliteLedger } from './ledger-tables.ts';
import { inTransaction, openDatabase } from '../open.ts';

type FileTables = Tables & Pick<SqliteLedger, 'chargeAll'>;

/** A call of one of the tables' methods. */
export interface Call {
  readonly method: keyof FileTables;
  readonly args: readonly unknown[];
}

export type Outcome = { readonly value: unknown } | { readonly failure: unknown };

/** Returns whether a call only reads, so that it needs no transaction. */
export function isReading({ method }: Pick<Call, 'method'>): boolean {
  return readingMethods.has(method);
}

/** Returns what a call returned, or throws what it threw. */
export function valueOf(outcome: Outcome | undefined): unknown {
  if (outcome && 'value' in outcome) return outcome.value;
  throw outcome?.failure;
}

const readingMethods: ReadonlySet<keyof FileTables> = new Set([
  'list',
  'usage',
  'findByHash',
  'lookAtKey',
  'tally',
  'check',
]);

/** Accounts and ledger in one SQLite file. Everything blocks. */
export class AccountsFile {
  readonly #database: DatabaseSync;
  readonly #tables: FileTables;
  readonly #note: LastEntryNote | undefined;

  /**
   * Opens or makes the file, and proves that it is whole and can be written. Throws what SQLite throws, `NewerSchema`, `DamagedFile` or
   * `LostEntries`.
   */
  constructor(path: string) {
    if (path !== inMemory) refuseEmptied(path);
    this.#database = openDatabase(path, [
      accountsSchema + ledgerSchema + idempotencySchema,
      reservationExpiry,
    ]);
    try {
      checkWhole(this.#database);
      const tables = [accountTables(this.#database), idempotencyTables(this.#database)] as const;
      this.#tables = Object.assign(new SqliteLedger(this.#database), ...tables);
      this.#note = this.#proveWritable(path);
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  /** Reads, also from a file that cannot be written. */
  read(call: Call): Outcome {
    return attempt(() => this.#perform(call));
  }

  /** Makes all changes in one transaction, durable on return: all of them, or none. Returns an outcome each, in order. */
  commit(calls: readonly Call[]): Outcome[] {
    const changed = attempt(() => this.#commit(calls));
    return calls.map((_, index) =>
      'failure' in changed ? changed : { value: changed.value[index] },
    );
  }

  close(): void {
    this.#note?.close();
    this.#database.close();
  }

  #perform({ method, args }: Call): unknown {
    return Reflect.apply(this.#tables[method], this.#tables, args);
  }

  #commit(calls: readonly Call[]): unknown[] {
    const durable = calls.some(mustBeDurable);
    this.#database.exec(`PRAGMA synchronous = ${durable ? 'FULL' : 'NORMAL'}`);
    let lastEntry = 0;
    const values = inTransaction(this.#database, () => {
      const returned = calls.map((call) => this.#perform(call));
      if (durable) lastEntry = this.#note?.lastEntry() ?? 0;
      return returned;
    });
    // The charges are durable even if this fails, and an older note is also true.
    if (durable) attempt(() => this.#note?.write(lastEntry));
    return values;
  }

  /** Proves that the tables can be written, and that the file has all entries that were noted. */
  #proveWritable(path: string): LastEntryNote | undefined {
    // What is noted must be durable: an earlier process may have left entries that are not.
    this.#database.exec('PRAGMA synchronous = FULL');
    const opened = inTransaction(this.#database, () => {
      this.#tables.probe({ now: 0, month: '', freeCredits: 0 });
      if (path === inMemory) return undefined;
      const note = new LastEntryNote(this.#database, path);
      return { note, entry: note.lastEntry() };
    });
    opened?.note.write(opened.entry);
    return opened?.note;
  }
}

const inMemory = ':memory:';

/** A reservation that is lost in a power failure would have expired, so it need not wait for the disk. */
function mustBeDurable({ method, args }: Call): boolean {
  return method !== 'extendReservations' && (method !== 'charge' || args[2] === true);
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
class DamagedFile extends Error {
  override readonly name = 'DamagedFile';
}
