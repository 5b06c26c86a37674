import type { DatabaseSync } from 'node:sqlite';
import type { Tables } from '../../tables.ts';
import { accountsSchema, sqliteAccountTables } from './account-tables.ts';
import { idempotencySchema, sqliteIdempotencyTables } from './idempotency-tables.ts';
import { LastEntryFile, assertNotEmptied } from './last-entry-file.ts';
import { ledgerSchema, reservationExpiry, SqliteLedger } from './ledger-tables.ts';
import { inTransaction, openSqliteDatabase } from '../open.ts';

type FileTables = Tables & Pick<SqliteLedger, 'chargeAll'>;

/** A call of one of the tables' methods. */
export interface TableCall {
  readonly method: keyof FileTables;
  readonly args: readonly unknown[];
}

export type TableCallResult = { readonly value: unknown } | { readonly failure: unknown };

/** Returns whether a call only reads, so that it needs no transaction. */
export function isReadOnly({ method }: Pick<TableCall, 'method'>): boolean {
  return readOnlyMethods.has(method);
}

/** Returns what a call returned, or throws what it threw. */
export function unwrapResult(result: TableCallResult | undefined): unknown {
  if (result && 'value' in result) return result.value;
  throw result?.failure;
}

const readOnlyMethods: ReadonlySet<keyof FileTables> = new Set([
  'list',
  'usage',
  'findByHash',
  'idempotencyStatus',
  'tally',
  'check',
]);

/** Accounts and ledger in one SQLite file. Everything blocks. */
export class AccountsFile {
  readonly #database: DatabaseSync;
  readonly #tables: FileTables;
  readonly #lastEntryFile: LastEntryFile | undefined;

  /**
   * Opens or makes the file, and proves that it is whole and can be written. Throws what SQLite throws, `NewerSchema`, `DamagedFile` or
   * `LostEntries`.
   */
  constructor(path: string) {
    if (path !== inMemory) assertNotEmptied(path);
    this.#database = openSqliteDatabase(path, [
      accountsSchema + ledgerSchema + idempotencySchema,
      reservationExpiry,
    ]);
    try {
      checkIntegrity(this.#database);
      const tables = [
        sqliteAccountTables(this.#database),
        sqliteIdempotencyTables(this.#database),
      ] as const;
      this.#tables = Object.assign(new SqliteLedger(this.#database), ...tables);
      this.#lastEntryFile = this.#verifyWritable(path);
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  /** Reads, also from a file that cannot be written. */
  read(call: TableCall): TableCallResult {
    return attempt(() => this.#invoke(call));
  }

  /** Makes all changes in one transaction, durable on return: all of them, or none. Returns an outcome each, in order. */
  commit(calls: readonly TableCall[]): TableCallResult[] {
    const result = attempt(() => this.#commit(calls));
    return calls.map((_, index) => ('failure' in result ? result : { value: result.value[index] }));
  }

  close(): void {
    this.#lastEntryFile?.close();
    this.#database.close();
  }

  #invoke({ method, args }: TableCall): unknown {
    return Reflect.apply(this.#tables[method], this.#tables, args);
  }

  #commit(calls: readonly TableCall[]): unknown[] {
    const isDurable = calls.some(mustBeDurable);
    this.#database.exec(`PRAGMA synchronous = ${isDurable ? 'FULL' : 'NORMAL'}`);
    let lastEntry = 0;
    const values = inTransaction(this.#database, () => {
      const results = calls.map((call) => this.#invoke(call));
      if (isDurable) lastEntry = this.#lastEntryFile?.lastEntry() ?? 0;
      return results;
    });
    // The charges are durable even if this fails, and an older note is also true.
    if (isDurable) attempt(() => this.#lastEntryFile?.write(lastEntry));
    return values;
  }

  /** Proves that the tables can be written, and that the file has all entries that were noted. */
  #verifyWritable(path: string): LastEntryFile | undefined {
    // What is noted must be durable: an earlier process may have left entries that are not.
    this.#database.exec('PRAGMA synchronous = FULL');
    const verified = inTransaction(this.#database, () => {
      this.#tables.probe({ now: 0, month: '', freeCredits: 0 });
      if (path === inMemory) return undefined;
      const note = new LastEntryFile(this.#database, path);
      return { note, entry: note.lastEntry() };
    });
    verified?.note.write(verified.entry);
    return verified?.note;
  }
}

const inMemory = ':memory:';

/** A reservation that is lost in a power failure would have expired, so it need not wait for the disk. */
function mustBeDurable({ method, args }: TableCall): boolean {
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
function checkIntegrity(database: DatabaseSync): void {
  for (const table of ['accounts', 'keys', 'counters', 'reservations']) {
    const [row] = database.prepare(`PRAGMA quick_check('${table}')`).all();
    const result = row?.['quick_check'];
    if (result !== 'ok') throw new CorruptFileError(`${table}: ${String(result)}`);
  }
}

/** SQLite finds the file damaged. */
class CorruptFileError extends Error {
  override readonly name = 'CorruptFileError';
}
