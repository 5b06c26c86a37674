import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { systemClock } from '../../clock.ts';
import { createLog, type Log } from '../../log.ts';
import type { SqlDatabase, SqlParams } from '../../shared/sql-database.ts';
import { OutageLog } from '../outage-log.ts';
import { storeUnavailable } from '../store-unavailable.ts';
import { sqliteDialect } from './dialect.ts';
import { openSqliteDatabase } from './open.ts';
import { startThread } from './thread.ts';
import { getOrInsert } from '../../shared/memoize.ts';

/** A statement with its parameters. */
export interface SqlCall {
  readonly sql: string;
  readonly params: SqlParams;
}

/** Runs statements in a SQLite database, and prepares each once. */
export class SqlFile {
  readonly database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();

  /** Opens or creates the file. Throws what SQLite throws, or `SqliteSchemaTooNewError`. */
  constructor(path: string, kind: 'accounts' | 'answers' | 'watches') {
    this.database = openSqliteDatabase(path, kind);
  }

  prepare(sql: string): StatementSync {
    return getOrInsert(this.#prepared, sql, () => {
      const statement = this.database.prepare(sql);
      statement.setAllowUnknownNamedParameters(true);
      return statement;
    });
  }

  /** Runs statements one after another, with the same parameters. Returns all rows. */
  run(statements: readonly string[], params: SqlParams): readonly unknown[] {
    const named: Record<string, SqlParams[number]> = {};
    for (const [index, value] of params.entries()) named[`$${index + 1}`] = value;
    return statements.flatMap((sql) => this.prepare(sql).all(named));
  }
}

/** Runs the calls of one database of watches. */
export class WatchesFile {
  readonly #file: SqlFile;

  /** Opens or creates the file. Throws what SQLite throws, or `SqliteSchemaTooNewError`. */
  constructor(path: string) {
    this.#file = new SqlFile(path, 'watches');
    this.#file.database.exec('PRAGMA synchronous = FULL');
  }

  answer({ sql, params }: SqlCall): readonly unknown[] {
    // After a full disk or an I/O error, SQLite has already rolled back.
    if (sql === 'ROLLBACK' && !this.#file.database.isTransaction) return [];
    return this.#file.run([sql], params);
  }

  close(): void {
    this.#file.database.close();
  }
}

export function memorySql(): SqlDatabase {
  const file = new WatchesFile(':memory:');
  return sqliteSql(
    async (call) => file.answer(call),
    async () => file.close(),
    createLog('silent'),
  );
}

/**
 * Opens a database file, which is created if missing. Rejects with what SQLite throws. It runs in a
 * separate thread, because SQLite blocks its thread until the disk has written.
 */
export async function openSqlFile(
  path: string,
  log: Log = createLog('silent'),
): Promise<SqlDatabase> {
  const thread = await startThread('watches', path);
  return sqliteSql(
    (call) => thread.send(call),
    () => thread.close(),
    log,
  );
}

type Run = (call: SqlCall) => Promise<unknown>;

/** Runs statements and transactions one after another, and reports when the file cannot be written. */
function sqliteSql(run: Run, close: () => Promise<void>, log: Log): SqlDatabase {
  // A read succeeds while the disk is full, so only time without failures ends an outage.
  const outage = new OutageLog(outageMessages, log, systemClock, true);
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };

  const rows = async <Row>(sql: string, params: SqlParams = []): Promise<readonly Row[]> => {
    try {
      return (await run({ sql, params })) as readonly Row[];
    } catch (error) {
      throw storeUnavailable(outage.fail(error));
    }
  };

  return {
    dialect: sqliteDialect,
    query: (sql, params) => inTurn(() => rows(sql, params)),
    transaction: (work) =>
      inTurn(async () => {
        await rows('BEGIN IMMEDIATE');
        try {
          const result = await work(rows);
          await rows('COMMIT');
          return result;
        } catch (error) {
          await rows('ROLLBACK');
          throw error;
        }
      }),
    close: () =>
      inTurn(() => {
        outage.stop();
        return close();
      }),
  };
}

const outageMessages = {
  started:
    'Watches and receipts cannot be stored. Requests for them are rejected until they can. Check the disk and the files of STORE_URL.',
  continues: 'Watches and receipts still cannot be stored.',
  ended: 'Watches and receipts can be stored again.',
};
