import { systemClock } from '../../../clock.ts';
import { LedgerOpenError } from '../../../accounts/store.ts';
import type { Log } from '../../../log.ts';
import { connectTimeoutMs, ConnectionPool } from './connection-pool.ts';
import { DatabaseUnavailableError, isOutage, wasRejected } from './database-unavailable.ts';
import { migrate } from './migrate.ts';
import { Notifications } from './notifications.ts';
import { describePostgresOpenError } from './open-error.ts';

/** The PostgreSQL that all nodes share. */
export interface Database {
  /**
   * Runs one statement, which is one transaction. Rejects with `DatabaseAway`, within 180 ms unless others before it are being answered, or at
   * once while the database is known to be away; with what `pg` throws where the statement is at fault.
   */
  rows<T>(text: string, values?: readonly unknown[]): Promise<readonly T[]>;
  /** Subscribes to a channel of NOTIFY: see `Notifications.subscribe`. */
  readonly subscribe: Notifications['subscribe'];
  /** Whether the database did not respond when it was last used. */
  readonly isUnavailable: boolean;
  close(): Promise<void>;
}

/** Connects, and brings the tables up to date. Rejects with `LedgerUnusable`, whose message says what to do, when it cannot. */
export async function openPostgresDatabase(
  url: string,
  log: Log,
  deadlineMs = defaultDeadlineMs,
): Promise<Database> {
  try {
    await migrate(url);
    const pool = new ConnectionPool(url, deadlineMs);
    // The first request need not wait for a connection.
    await pool.run(probe, connectTimeoutMs);
    return new PostgresDatabase(url, pool, log, deadlineMs);
  } catch (error) {
    throw new LedgerOpenError(describePostgresOpenError(url, error), { cause: error });
  }
}

/** Returns the row of a statement that always has exactly one. */
export function singleRow<T>([row]: readonly T[]): T {
  if (row === undefined) throw new Error('a statement that always has a row had none');
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
      throw new DatabaseUnavailableError('the database is away', { maybeApplied: false });
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
      // If others were answered meanwhile, this statement alone had to wait: for a lock, or for a connection.
      if (!this.#pool.hasRespondedSince(startedAt)) this.#markUnavailable(error);
      throw new DatabaseUnavailableError('the database does not answer', {
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
    // A server that is frozen never closes its side.
    await Promise.race([
      this.#pool.close(),
      new Promise<void>((resolve) => systemClock.after(closeTimeoutMs, resolve)),
    ]);
  }

  #markUnavailable(cause: unknown): void {
    if (this.#isUnavailable || this.#isClosed) return;
    this.#isUnavailable = true;
    this.#log.error({ err: cause }, 'the database is away');
    // The open connections may be frozen, or lead to a server that is not the primary any more.
    void this.#pool.close();
    this.#pool = new ConnectionPool(this.#url, this.#deadlineMs);
    void this.#probe();
  }

  async #probe(): Promise<void> {
    if (this.#isClosed) return;
    try {
      const [row] = await this.#pool.run<{ readOnly: string }>(probe, probeDeadlineMs);
      if (row?.readOnly !== 'off') throw new Error('the database can only be read');
    } catch (error) {
      this.#log.debug({ err: error }, 'the database is still away');
      systemClock.after(probeIntervalMs, () => void this.#probe());
      return;
    }
    this.#isUnavailable = false;
    this.#log.info('the database is back');
    this.#notifications.reconnect();
  }
}

/** How long anything may take: a request that it cannot serve is answered within 250 ms. */
const defaultDeadlineMs = 180;
const probeIntervalMs = 250;
const probeDeadlineMs = 1000;
const closeTimeoutMs = 1000;

/** A replica answers as well, and takes no writes. */
const probe = { text: `SELECT current_setting('transaction_read_only') AS "readOnly"` };
