// A thread has no origin.
/* oxlint-disable unicorn/require-post-message-target-origin */
import { once } from 'node:events';
import { extname } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import type { SqlDatabase, SqlDialect, SqlQuery } from '../../shared/sql-database.ts';
import { openSqliteDatabase } from './open.ts';

/** A statement with its parameters. */
export interface SqlCall {
  readonly sql: string;
  readonly params: readonly (string | number | null)[];
}

export type SqlResult = { readonly rows: readonly unknown[] } | { readonly failure: unknown };

const dialect: SqlDialect = {
  each: (parameter) => `json_each(${parameter}) AS each`,
  skipLocked: '',
};

/** Runs statements in a SQLite database, and prepares each once. */
export class SqlFile {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();

  /** Opens or creates the file. Throws what SQLite throws, or `SqliteSchemaTooNewError`. */
  constructor(path: string) {
    this.#database = openSqliteDatabase(path, 'watches');
    this.#database.exec('PRAGMA synchronous = FULL');
  }

  run({ sql, params }: SqlCall): SqlResult {
    try {
      const statement = this.#prepared.get(sql) ?? this.#database.prepare(sql);
      this.#prepared.set(sql, statement);
      return {
        rows: statement.all(
          Object.fromEntries(params.map((value, index) => [`$${index + 1}`, value])),
        ),
      };
    } catch (failure) {
      // After a full disk or an I/O error, SQLite has already rolled back.
      return sql === 'ROLLBACK' && !this.#database.isTransaction ? { rows: [] } : { failure };
    }
  }

  close(): void {
    this.#database.close();
  }
}

/** Opens a database in memory. */
export function memorySql(): SqlDatabase {
  const file = new SqlFile(':memory:');
  return new SqliteSql(
    async (call) => file.run(call),
    async () => file.close(),
  );
}

/**
 * Opens a database file, which is created if missing. Rejects with what SQLite throws. It runs in a
 * separate thread, because SQLite blocks its thread until the disk has written.
 */
export async function openSqlFile(path: string): Promise<SqlDatabase> {
  const worker = new Worker(workerFile, { workerData: path });
  const [opened] = (await once(worker, 'message')) as [SqlResult];
  if ('failure' in opened) throw opened.failure;
  const exited = once(worker, 'exit');
  // The thread responds in order.
  const inFlight: ((result: SqlResult) => void)[] = [];
  worker.on('message', (result: SqlResult) => inFlight.shift()?.(result));
  const run = (call: SqlCall) =>
    new Promise<SqlResult>((resolve) => {
      inFlight.push(resolve);
      worker.postMessage(call);
    });
  return new SqliteSql(run, async () => {
    worker.postMessage('close');
    await exited;
  });
}

/** It has the extension of this file: `.ts` in the repository, `.js` in the npm package. */
const workerFile = new URL(`sql-worker${extname(import.meta.filename)}`, import.meta.url);

/** Runs statements and transactions one after another. */
class SqliteSql implements SqlDatabase {
  readonly dialect = dialect;
  readonly #run: (call: SqlCall) => Promise<SqlResult>;
  readonly #close: () => Promise<void>;
  #last: Promise<unknown> = Promise.resolve();

  constructor(run: (call: SqlCall) => Promise<SqlResult>, close: () => Promise<void>) {
    this.#run = run;
    this.#close = close;
  }

  readonly query: SqlQuery = (sql, params) => this.#inTurn(() => this.#rows(sql, params));

  transaction<T>(work: (query: SqlQuery) => Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      await this.#rows('BEGIN IMMEDIATE');
      try {
        const result = await work((sql, params) => this.#rows(sql, params));
        await this.#rows('COMMIT');
        return result;
      } catch (error) {
        await this.#rows('ROLLBACK');
        throw error;
      }
    });
  }

  close(): Promise<void> {
    return this.#inTurn(this.#close);
  }

  async #rows<Row>(sql: string, params: SqlCall['params'] = []): Promise<readonly Row[]> {
    const result = await this.#run({ sql, params });
    if ('failure' in result) throw result.failure;
    return result.rows as readonly Row[];
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }
}
