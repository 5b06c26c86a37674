import { DatabaseError, Pool, types, type PoolClient, type QueryConfig } from 'pg';
import { systemClock } from '../../clock.ts';
import { cancelStatement } from './cancel.ts';
import { isOutage } from './database-away.ts';

/** Connections that are opened as they are needed and kept. */
export interface Connections {
  /**
   * Runs one statement. Rejects with `TooLate` when it is not answered in time, with what `pg` throws, or when the connections are closed.
   * `onSent` tells that it has left this process.
   */
  run<T>(statement: QueryConfig, deadlineMs: number, onSent?: () => void): Promise<readonly T[]>;
  /** Whether anything was answered since then. */
  answeredSince(moment: number): boolean;
  /** Turns away who waits, and closes what is idle now, and the rest as it comes back. */
  close(): Promise<void>;
}

/** Nothing was heard in time. */
export class TooLate extends Error {
  override readonly name = 'TooLate';
}

export function openConnections(url: string): Connections {
  const pool = new Pool({ ...settings(url), max: mostConnections, min: 1, connectionTimeoutMillis: connectTimeoutMs });
  // One that breaks while it is idle has left the pool already; whoever is next opens another.
  pool.on('error', () => undefined);
  const closed = Promise.withResolvers<never>();
  closed.promise.catch(() => undefined);
  let established = 0;
  pool.on('connect', (client) => {
    established += 1;
    // One that breaks in the middle of a statement tells that statement, too; an event that nobody hears would end the process.
    client.on('error', () => undefined);
  });
  pool.on('remove', () => (established -= 1));
  let crowdedUntil = 0;
  let answeredAt = 0;

  async function connect(): Promise<PoolClient> {
    if (systemClock.elapsed() > crowdedUntil) pool.options.max = mostConnections;
    try {
      return await pool.connect();
    } catch (error) {
      // The server has no room for another; those that are there do the work of the one that is missing.
      if (!(error instanceof DatabaseError && error.code === '53300') || established === 0) throw error;
      pool.options.max = established;
      crowdedUntil = systemClock.elapsed() + crowdedMs;
      return await pool.connect();
    }
  }

  /** Waits for its turn for as long as others are answered. */
  async function takeTurn(deadlineMs: number): Promise<PoolClient> {
    const connecting = connect();
    try {
      for (let rounds = 1; ; rounds++) {
        const from = systemClock.elapsed();
        const client = await within(deadlineMs, [connecting, closed.promise]).catch((error: unknown) => {
          if (!(error instanceof TooLate) || answeredAt < from || rounds === mostRounds) throw error;
        });
        if (client) return client;
      }
    } catch (error) {
      // One that comes late serves the next.
      connecting.then((late) => late.release()).catch(() => undefined);
      throw error;
    }
  }

  return {
    async run<T>(statement: QueryConfig, deadlineMs: number, onSent?: () => void) {
      const client = await takeTurn(deadlineMs);
      try {
        onSent?.();
        const { rows } = await within(deadlineMs, [client.query(statement)]);
        answeredAt = systemClock.elapsed();
        client.release();
        return rows as readonly T[];
      } catch (error) {
        if (error instanceof TooLate) void giveUp(client);
        // Whoever is in the middle of something is of no use to the next.
        else client.release(isOutage(error));
        throw error;
      }
    },
    answeredSince: (moment) => answeredAt >= moment,
    close() {
      closed.reject(new Error('the connections were closed'));
      return pool.end();
    },
  };
}

/** What every connection to the database is opened with. Numbers of 64 bits become numbers: credits and milliseconds stay below 2^53. */
export function settings(url: string) {
  return {
    connectionString: url,
    fallback_application_name: 'rdap-graphql-gateway',
    keepAlive: true,
    types: {
      getTypeParser: (type: number, format?: 'text' | 'binary') =>
        type === types.builtins.INT8 ? safeInteger : types.getTypeParser(type, format ?? 'text'),
    },
  };
}

/** A connection may take longer to open than a statement may: then it serves the next. */
export const connectTimeoutMs = 5000;
const cancelTimeoutMs = 1000;
const mostConnections = 10;
const mostRounds = 10;
const crowdedMs = 10_000;

/** Its place is not taken before the server has given up, too: there are never more connections than `mostConnections`. */
async function giveUp(client: PoolClient): Promise<void> {
  await cancelStatement(client, cancelTimeoutMs);
  client.release(true);
}

function safeInteger(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number)) throw new RangeError(`${text} is too large for a number`);
  return number;
}

async function within<T>(ms: number, work: readonly Promise<T>[]): Promise<T> {
  const late = Promise.withResolvers<never>();
  // Where this process was busy itself, the answer may have come already and stands to be read: a turn more tells.
  const timer = setTimeout(() => setImmediate(() => late.reject(new TooLate(`no answer within ${ms} ms`))), ms);
  try {
    return await Promise.race([...work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
