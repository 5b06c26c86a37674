import { systemClock } from '../../clock.ts';
import { LedgerOpenError } from '../../accounts/store.ts';
import type { Log } from '../../log.ts';
import { connectTimeoutMs, ConnectionPool } from './connection-pool.ts';
import { DatabaseUnavailableError, isOutage, wasRejected } from './database-unavailable.ts';
import { migrate } from './migrate.ts';
import { Notifications } from './notifications.ts';
import { describePostgresOpenError } from './open-error.ts';

/** The PostgreSQL database that all nodes share. */
export interface Database {
  /**
   * Runs one statement, which is one transaction. Rejects with `DatabaseUnavailableError`: within
   * 180 ms unless earlier statements are still being answered, or immediately if the database is
   * already unavailable. Rejects with what `pg` throws if the statement is invalid.
   */
  rows<T>(text: string, values?: readonly unknown[]): Promise<readonly T[]>;
  /** Subscribes to a NOTIFY channel; see `Notifications.subscribe`. */
  readonly subscribe: Notifications['subscribe'];
  /** True if the database did not respond to the last statement. */
  readonly isUnavailable: boolean;
  close(): Promise<void>;
}

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
    return new PostgresDatabase(url, pool, log, deadlineMs);
  } catch (error) {
    throw new LedgerOpenError(describePostgresOpenError(url, error), { cause: error });
  }
}

/** Returns the only row of a statement that always returns exactly one. */
export function singleRow<T>([row]: readonly T[]): T {
  if (row === undefined) throw new Error('The statement returned no row.');
  return row;
}

class PostgresDatabase implements Database {
  readonly #url: string;
  readonly #log: Log;
  readonly #deadlineMs: number;
  readonly #notifications: Notifications;
  #pool: ConnectionPool;
  #isUnavailable = false;
  #isClosed = false;

  constructor(url: string, pool: ConnectionPool, log: Log, deadlineMs: number) {
    this.#url = url;
    this.#pool = pool;
    this.#log = log;
    this.#deadlineMs = deadlineMs;
    this.#notifications = new Notifications(url);
  }

  get isUnavailable(): boolean {
    return this.#isUnavailable;
  }

  async rows<T>(text: string, values: readonly unknown[] = []): Promise<readonly T[]> {
    if (this.#isUnavailable)
      throw new DatabaseUnavailableError('The database is unavailable.', { maybeApplied: false });
    const startedAt = systemClock.elapsed();
    let isSent = false;
    try {
      return await this.#pool.run<T>(
        { text, values: [...values] },
        this.#deadlineMs,
        () => (isSent = true),
      );
    } catch (error) {
      if (!isOutage(error)) throw error;
      // If other statements were answered in the meantime, only this one had to wait: for a lock or
      // a connection.
      if (!this.#pool.hasRespondedSince(startedAt)) this.#markUnavailable(error);
      throw new DatabaseUnavailableError('The database does not respond.', {
        cause: error,
        maybeApplied: isSent && !wasRejected(error),
      });
    }
  }

  subscribe(...subscription: Parameters<Notifications['subscribe']>): void {
    this.#notifications.subscribe(...subscription);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#notifications.close();
    // A frozen server never closes its side of a connection.
    await Promise.race([
      this.#pool.close(),
      new Promise<void>((resolve) => systemClock.after(closeTimeoutMs, resolve)),
    ]);
  }

  #markUnavailable(cause: unknown): void {
    if (this.#isUnavailable || this.#isClosed) return;
    this.#isUnavailable = true;
    this.#log.error(
      { err: cause },
      'Database unavailable. Metered requests are rejected until it responds. Check PostgreSQL and the network.',
    );
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
    this.#log.info('Database available again.');
    this.#notifications.reconnect();
  }
}

/**
 * Time limit of a statement: requests that the database cannot serve are answered within 250 ms.
 */
const defaultDeadlineMs = 180;
const probeIntervalMs = 250;
const probeDeadlineMs = 1000;
const closeTimeoutMs = 1000;

/** Also detects replicas, which respond but accept no writes. */
const probe = { text: `SELECT current_setting('transaction_read_only') AS "readOnly"` };
