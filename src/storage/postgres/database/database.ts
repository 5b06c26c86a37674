import { systemClock } from '../../../clock.ts';
import { LedgerUnusable } from '../../../accounts/store.ts';
import type { Log } from '../../../log.ts';
import { connectTimeoutMs, Connections } from './connections.ts';
import { DatabaseAway, isOutage, wasRefused } from './database-unavailable.ts';
import { migrate } from './migrate.ts';
import { Notifications } from './notifications.ts';
import { whyUnusable } from './open-error.ts';

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
  readonly away: boolean;
  close(): Promise<void>;
}

/** Connects, and brings the tables up to date. Rejects with `LedgerUnusable`, whose message says what to do, when it cannot. */
export async function openDatabase(
  url: string,
  log: Log,
  deadlineMs = usualDeadlineMs,
): Promise<Database> {
  try {
    await migrate(url);
    const connections = new Connections(url, deadlineMs);
    // The first request need not wait for a connection.
    await connections.run(probe, connectTimeoutMs);
    return new SharedDatabase(url, connections, log, deadlineMs);
  } catch (error) {
    throw new LedgerUnusable(whyUnusable(url, error), { cause: error });
  }
}

/** Returns the row of a statement that always has exactly one. */
export function theRow<T>([row]: readonly T[]): T {
  if (row === undefined) throw new Error('a statement that always has a row had none');
  return row;
}

class SharedDatabase implements Database {
  readonly #url: string;
  readonly #log: Log;
  readonly #deadlineMs: number;
  readonly #notifications: Notifications;
  #connections: Connections;
  #away = false;
  #closed = false;

  constructor(url: string, connections: Connections, log: Log, deadlineMs: number) {
    this.#url = url;
    this.#connections = connections;
    this.#log = log;
    this.#deadlineMs = deadlineMs;
    this.#notifications = new Notifications(url);
  }

  get away(): boolean {
    return this.#away;
  }

  async rows<T>(text: string, values: readonly unknown[] = []): Promise<readonly T[]> {
    if (this.#away) throw new DatabaseAway('the database is away', { mayHaveRun: false });
    const calledAt = systemClock.elapsed();
    let sent = false;
    try {
      return await this.#connections.run<T>(
        { text, values: [...values] },
        this.#deadlineMs,
        () => (sent = true),
      );
    } catch (error) {
      if (!isOutage(error)) throw error;
      // If others were answered meanwhile, this statement alone had to wait: for a lock, or for a connection.
      if (!this.#connections.answeredSince(calledAt)) this.#markAway(error);
      throw new DatabaseAway('the database does not answer', {
        cause: error,
        mayHaveRun: sent && !wasRefused(error),
      });
    }
  }

  subscribe(...subscription: Parameters<Notifications['subscribe']>): void {
    this.#notifications.subscribe(...subscription);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#notifications.close();
    // A server that is frozen never closes its side.
    await Promise.race([
      this.#connections.close(),
      new Promise<void>((resolve) => systemClock.after(closeTimeoutMs, resolve)),
    ]);
  }

  #markAway(cause: unknown): void {
    if (this.#away || this.#closed) return;
    this.#away = true;
    this.#log.error({ err: cause }, 'the database is away');
    // The open connections may be frozen, or lead to a server that is not the primary any more.
    void this.#connections.close();
    this.#connections = new Connections(this.#url, this.#deadlineMs);
    void this.#probe();
  }

  async #probe(): Promise<void> {
    if (this.#closed) return;
    try {
      const [found] = await this.#connections.run<{ readOnly: string }>(probe, probeDeadlineMs);
      if (found?.readOnly !== 'off') throw new Error('the database can only be read');
    } catch (error) {
      this.#log.debug({ err: error }, 'the database is still away');
      systemClock.after(probeEveryMs, () => void this.#probe());
      return;
    }
    this.#away = false;
    this.#log.info('the database is back');
    this.#notifications.reconnect();
  }
}

/** How long anything may take: a request that it cannot serve is answered within 250 ms. */
const usualDeadlineMs = 180;
const probeEveryMs = 250;
const probeDeadlineMs = 1000;
const closeTimeoutMs = 1000;

/** A replica answers as well, and takes no writes. */
const probe = { text: `SELECT current_setting('transaction_read_only') AS "readOnly"` };
