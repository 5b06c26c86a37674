import { systemClock } from '../../clock.ts';
import { LedgerUnusable } from '../../accounts/store.ts';
import type { Log } from '../../log.ts';
import { connectTimeoutMs, openConnections, type Connections } from './connections.ts';
import { DatabaseAway, isOutage, wasRefused } from './database-away.ts';
import { migrate } from './migrate.ts';
import { Notifications } from './notifications.ts';
import { whyUnusable } from './unusable.ts';

/** The PostgreSQL that all nodes share. */
export interface Database {
  /**
   * Runs one statement, which is one transaction. Rejects with `DatabaseAway`, within 180 ms unless others before it are being answered, or at
   * once while the database is known to be away; with what `pg` throws where the statement is at fault.
   */
  rows<T>(text: string, values?: readonly unknown[]): Promise<readonly T[]>;
  /** Subscribes to a channel of NOTIFY: see `Notifications.subscribe`. */
  readonly subscribe: Notifications['subscribe'];
  /** Whether the last that was heard of it was no answer. */
  readonly away: boolean;
  close(): Promise<void>;
}

/** Connects, and brings the tables up to date. Rejects with `LedgerUnusable`, whose message says what to do, when it cannot. */
export async function openDatabase(url: string, log: Log, deadlineMs = usualDeadlineMs): Promise<Database> {
  try {
    await migrate(url);
    const connections = openConnections(url);
    // The first connection is there before anybody waits for it.
    await connections.run(probe, connectTimeoutMs);
    return watchedDatabase(url, connections, log, deadlineMs);
  } catch (error) {
    throw new LedgerUnusable(whyUnusable(url, error), { cause: error });
  }
}

/** The one row of a statement that always has one. */
export function theRow<T>([row]: readonly T[]): T {
  if (row === undefined) throw new Error('a statement that always has a row had none');
  return row;
}

/** How long anything may take: what waits for it has 250 ms to say that it cannot be done. */
const usualDeadlineMs = 180;
const probeEveryMs = 250;
const probeDeadlineMs = 1000;
const farewellMs = 1000;

function watchedDatabase(url: string, first: Connections, log: Log, deadlineMs: number): Database {
  const notifications = new Notifications(url);
  let connections = first;
  let away = false;
  let closed = false;

  async function rows<T>(text: string, values: readonly unknown[] = []): Promise<readonly T[]> {
    if (away) throw new DatabaseAway('the database is away', { mayHaveRun: false });
    const askedAt = systemClock.elapsed();
    let sent = false;
    try {
      return await connections.run<T>({ text, values: [...values] }, deadlineMs, () => (sent = true));
    } catch (error) {
      if (!isOutage(error)) throw error;
      // Where others were answered meanwhile, this statement alone had to wait: for a lock, or for its turn.
      if (!connections.answeredSince(askedAt)) leave(error);
      throw new DatabaseAway('the database does not answer', { cause: error, mayHaveRun: sent && !wasRefused(error) });
    }
  }

  function leave(cause: unknown): void {
    if (away || closed) return;
    away = true;
    log.error({ err: cause }, 'the database is away');
    // What is open now may be frozen, or lead to a server that is no longer the one.
    void connections.close();
    connections = openConnections(url);
    void comeBack();
  }

  async function comeBack(): Promise<void> {
    if (closed) return;
    try {
      const [found] = await connections.run<{ readOnly: string }>(probe, probeDeadlineMs);
      if (found?.readOnly !== 'off') throw new Error('the database can only be read');
    } catch (error) {
      log.debug({ err: error }, 'the database is still away');
      systemClock.after(probeEveryMs, () => void comeBack());
      return;
    }
    away = false;
    log.info('the database is back');
    notifications.reconnect();
  }

  return {
    rows,
    subscribe: (...subscription) => notifications.subscribe(...subscription),
    get away() {
      return away;
    },
    async close() {
      closed = true;
      notifications.close();
      // One that is frozen never says goodbye.
      await Promise.race([connections.close(), new Promise<void>((resolve) => systemClock.after(farewellMs, resolve))]);
    },
  };
}

/** A replica answers as well, and takes no writes. */
const probe = { text: `SELECT current_setting('transaction_read_only') AS "readOnly"` };
