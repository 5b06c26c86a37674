import { Client, DatabaseError } from 'pg';
import { LedgerOpenError } from '../../accounts/store.ts';
import { systemClock } from '../../clock.ts';
import type { Log } from '../../log.ts';
import { OutageLog } from '../outage-log.ts';
import { readMigrations } from '../read-migrations.ts';
import { connectTimeoutMs, ConnectionPool, connectionSettings } from './connection-pool.ts';
import {
  DatabaseUnavailableError,
  isOutage,
  wasRejected,
  describePostgresOpenError,
  EncodingError,
  PostgresSchemaTooNewError,
  ReadOnlyError,
} from './database-errors.ts';

/**
 * Connects and migrates the tables. Rejects with `LedgerOpenError`, whose message says how to fix
 * it.
 */
export async function openPostgresDatabase(
  url: string,
  log: Log,
  deadlineMs = defaultDeadlineMs,
): Promise<Database> {
  try {
    await migrate(url);
    const pool = new ConnectionPool(url, deadlineMs);
    // Opens a connection now, so that the first request need not wait for it.
    await pool.run(probe, connectTimeoutMs);
    return new Database(url, pool, log, deadlineMs);
  } catch (error) {
    throw new LedgerOpenError(describePostgresOpenError(url, error), { cause: error });
  }
}

/** The PostgreSQL database that all nodes share. Created only by `openPostgresDatabase`. */
export class Database {
  readonly #url: string;
  readonly #log: Log;
  readonly #outage: OutageLog;
  readonly #delays: OutageLog;
  readonly #deadlineMs: number;
  #pool: ConnectionPool;
  #isUnavailable = false;
  #isClosed = false;

  constructor(url: string, pool: ConnectionPool, log: Log, deadlineMs: number) {
    this.#url = url;
    this.#pool = pool;
    this.#log = log;
    this.#outage = new OutageLog(outageMessages, log, systemClock);
    this.#delays = new OutageLog(delayMessages, log, systemClock, true);
    this.#deadlineMs = deadlineMs;
  }

  /** True if the database did not respond to the last statement. */
  get isUnavailable(): boolean {
    return this.#isUnavailable;
  }

  /**
   * Runs one statement, which is one transaction. Rejects with `DatabaseUnavailableError`: within
   * 180 ms unless earlier statements are still being answered, or immediately if the database is
   * already unavailable. Rejects with what `pg` throws if the statement is invalid.
   */
  async rows<T>(text: string, values: readonly unknown[] = []): Promise<readonly T[]> {
    let isSent = false;
    return this.#watched(
      () =>
        this.#pool.run<T>({ text, values: [...values] }, this.#deadlineMs, () => (isSent = true)),
      () => isSent,
    );
  }

  /**
   * Runs several statements in one transaction, which is rolled back if `work` rejects. They may wait
   * for other transactions, for seconds. Rejects as `rows` does, and with what `work` rejects with.
   */
  async transaction<T>(work: (query: Database['rows']) => Promise<T>): Promise<T> {
    const result = await this.#watched(
      () =>
        this.#pool.transaction(transactionDeadlineMs, (run) =>
          work((text, values = []) => run({ text, values: [...values] })),
        ),
      () => true,
    );
    if ('rejection' in result) throw result.rejection;
    return result.value;
  }

  /** Notices in what `run` throws that the database does not respond. */
  async #watched<T>(run: () => Promise<T>, isSent: () => boolean): Promise<T> {
    if (this.#isUnavailable) {
      const error = new DatabaseUnavailableError('The database is unavailable.', false);
      this.#outage.fail(error);
      throw error;
    }

    const startedAt = systemClock.elapsed();
    try {
      return await run();
    } catch (error) {
      if (!isOutage(error)) throw error;

      // If other statements were answered in the meantime, only this one had to wait: for a lock or
      // a connection.
      if (this.#pool.hasRespondedSince(startedAt)) this.#delays.fail(error);
      else this.#markUnavailable(error);
      const maybeApplied = isSent() && !wasRejected(error);

      throw new DatabaseUnavailableError('The database does not respond.', maybeApplied, error);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#outage.stop();
    this.#delays.stop();

    // A frozen server never closes its side of a connection.
    await Promise.race([
      this.#pool.close(),
      new Promise<void>((resolve) => systemClock.after(closeTimeoutMs, resolve)),
    ]);
  }

  #markUnavailable(cause: unknown): void {
    if (this.#isClosed) return;

    this.#outage.fail(cause);
    if (this.#isUnavailable) return;

    this.#isUnavailable = true;
    // The open connections may be frozen, or lead to a server that is no longer the primary.
    void this.#pool.close();
    this.#pool = new ConnectionPool(this.#url, this.#deadlineMs);
    void this.#probe();
  }

  async #probe(): Promise<void> {
    if (this.#isClosed) return;

    try {
      const [row] = await this.#pool.run<{ readOnly: string }>(probe, probeDeadlineMs);
      if (row?.readOnly !== 'off') throw new Error('The database is read-only.');
    } catch (error) {
      this.#log.debug({ err: error }, 'Database still unavailable. Retrying.');
      systemClock.after(probeIntervalMs, () => void this.#probe());
      return;
    }

    this.#isUnavailable = false;
    this.#outage.end();
  }
}

const outageMessages = {
  started:
    'Database unavailable. Metered requests are rejected until it responds. Check PostgreSQL and the network.',
  continues: 'Database still unavailable.',
  ended: 'Database available again.',
};

const delayMessages = {
  started:
    'A statement took too long, and its request was rejected. Check the load and the locks of PostgreSQL.',
  continues: 'Statements still take too long.',
  ended: 'No statement took too long in the last minute.',
};

/**
 * Time limit of a statement: requests that the database cannot serve are answered within 250 ms.
 */
const defaultDeadlineMs = 180;
/** Time limit of each statement of a transaction, which may wait for the one of another node. */
const transactionDeadlineMs = 5000;
const probeIntervalMs = 250;
const probeDeadlineMs = 1000;
const closeTimeoutMs = 1000;

/** Also detects replicas, which respond but accept no writes. */
const probe = { text: `SELECT current_setting('transaction_read_only') AS "readOnly"` };

/**
 * Migrates the tables to the current version; several nodes may do so concurrently. Rejects with
 * `PostgresSchemaTooNewError`, `ReadOnlyError`, `EncodingError`, or what `pg` throws.
 */
async function migrate(url: string): Promise<void> {
  await withClient(url, async (client) => {
    const migrations = readMigrations(folder);
    if ((await versionOf(client)) !== migrations.length) await apply(client, migrations);
  });
}

/**
 * Checks that the database can be used, without a change to it. Rejects with `LedgerOpenError`.
 */
export async function checkPostgres(url: string): Promise<void> {
  try {
    await withClient(url, async (client) => assertNotNewer(await versionOf(client)));
  } catch (error) {
    throw new LedgerOpenError(describePostgresOpenError(url, error), { cause: error });
  }
}

async function withClient(url: string, use: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client({
    ...connectionSettings(url),
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: migrationTimeoutMs,
  });

  // The interrupted call reports a broken connection.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await checkSettings(client);
    await use(client);
  } finally {
    client.connection.stream.destroy();
  }
}

/** Long enough to wait for another node that migrates large tables. */
const migrationTimeoutMs = 60_000;

const folder = new URL('./migrations/', import.meta.url);

async function apply(client: Client, migrations: readonly string[]): Promise<void> {
  await client.query('BEGIN');
  // A pooler may return a connection with the statement timeout of a gateway.
  await client.query(`SET LOCAL statement_timeout = ${migrationTimeoutMs}`);

  // A second node waits here and then finds the tables up to date.
  await client.query(`SELECT pg_advisory_xact_lock(hashtext('rdap-graphql-gateway'))`);
  await client.query('CREATE TABLE IF NOT EXISTS gateway_schema (version integer NOT NULL)');
  const version = await versionOf(client);
  assertNotNewer(version);
  for (const migration of migrations.slice(version)) await client.query(migration);
  await client.query('DELETE FROM gateway_schema');
  await client.query('INSERT INTO gateway_schema VALUES ($1)', [migrations.length]);
  await client.query('COMMIT');
}

function assertNotNewer(version: number): void {
  const { length } = readMigrations(folder);
  if (version > length) throw new PostgresSchemaTooNewError(version, length);
}

async function versionOf(client: Client): Promise<number> {
  try {
    const { rows } = await client.query<{ version: number }>('SELECT version FROM gateway_schema');
    return rows[0]?.version ?? 0;
  } catch (error) {
    if (error instanceof DatabaseError && error.code === '42P01') return 0; // no such table yet
    throw error;
  }
}

async function checkSettings(client: Client): Promise<void> {
  const { rows } = await client.query<{ readOnly: string; encoding: string }>(
    `SELECT current_setting('transaction_read_only') AS "readOnly", current_setting('server_encoding') AS encoding`,
  );
  const [{ readOnly, encoding } = { readOnly: '', encoding: '' }] = rows;
  if (readOnly !== 'off') throw new ReadOnlyError();
  if (encoding !== 'UTF8') throw new EncodingError(encoding);
}
