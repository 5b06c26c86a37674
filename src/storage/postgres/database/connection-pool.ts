import { DatabaseError, Pool, types, type PoolClient, type QueryConfig } from 'pg';
import { systemClock } from '../../../clock.ts';
import { isOutage, wasCanceled } from './database-unavailable.ts';

/** The server was silent for too long. */
class QueryTimeoutError extends Error {
  override readonly name = 'QueryTimeoutError';
}

/** Connections that are opened as they are needed and kept. */
export class ConnectionPool {
  readonly #pool: Pool;
  readonly #closed = Promise.withResolvers<never>();
  #established = 0;
  #poolLimitUntil = 0;
  #lastResponseAt = 0;

  /** The server cancels statements a little before `deadlineMs`, so that none holds a lock or a connection that its caller has given up on. */
  constructor(url: string, deadlineMs: number) {
    this.#pool = new Pool({
      ...connectionSettings(url),
      max: maxConnections,
      min: 1,
      connectionTimeoutMillis: connectTimeoutMs,
      // Not among the parameters that a connection is opened with: poolers refuse those that they do not know.
      onConnect: (client) =>
        client.query(`SET statement_timeout = ${deadlineMs - cancelResponseMs}`) as unknown as void,
    });
    this.#closed.promise.catch(() => undefined);
    // A connection that breaks while it is idle has left the pool already.
    this.#pool.on('error', () => undefined);
    this.#pool.on('connect', (client) => {
      this.#established += 1;
      // The statement that it interrupts is rejected as well; an event without a listener would end the process.
      client.on('error', () => undefined);
    });
    this.#pool.on('remove', () => (this.#established -= 1));
  }

  /**
   * Runs one statement. Rejects with `TooLate` when it is not answered in time, with what `pg` throws, or when the connections are closed.
   * `onSent` is called when the statement leaves this process.
   */
  async run<T>(
    statement: QueryConfig,
    deadlineMs: number,
    onSent?: () => void,
  ): Promise<readonly T[]> {
    const client = await this.#acquire(deadlineMs);
    try {
      onSent?.();
      const { rows } = await withTimeout(deadlineMs, [client.query(statement)]);
      this.#lastResponseAt = systemClock.elapsed();
      client.release();
      return rows as readonly T[];
    } catch (error) {
      if (wasCanceled(error)) this.#lastResponseAt = systemClock.elapsed();
      // A connection in an unknown state is not used again.
      client.release(isOutage(error) && !wasCanceled(error));
      throw error;
    }
  }

  /** Whether anything was answered since then. */
  hasRespondedSince(elapsedMs: number): boolean {
    return this.#lastResponseAt >= elapsedMs;
  }

  /** Rejects the calls that wait, closes idle connections now, and the others when they are released. */
  close(): Promise<void> {
    this.#closed.reject(new Error('the connections were closed'));
    return this.#pool.end();
  }

  /** Waits for a connection for as long as other calls are answered. */
  async #acquire(deadlineMs: number): Promise<PoolClient> {
    const connecting = this.#connect();
    try {
      for (let rounds = 1; ; rounds++) {
        const startedAt = systemClock.elapsed();
        const client = await withTimeout(deadlineMs, [connecting, this.#closed.promise]).catch(
          (error: unknown) => {
            if (
              !(error instanceof QueryTimeoutError) ||
              this.#lastResponseAt < startedAt ||
              rounds === maxWaitRounds
            )
              throw error;
          },
        );
        if (client) return client;
      }
    } catch (error) {
      // A connection that is established later serves another call.
      connecting.then((unusedClient) => unusedClient.release()).catch(() => undefined);
      throw error;
    }
  }

  async #connect(): Promise<PoolClient> {
    if (systemClock.elapsed() > this.#poolLimitUntil) this.#pool.options.max = maxConnections;
    try {
      return await this.#pool.connect();
    } catch (error) {
      // The server accepts no further connection (too_many_connections): use those that are established.
      if (!(error instanceof DatabaseError && error.code === '53300') || this.#established === 0)
        throw error;
      this.#pool.options.max = this.#established;
      this.#poolLimitUntil = systemClock.elapsed() + poolLimitMs;
      return await this.#pool.connect();
    }
  }
}

/** What every connection to the database is opened with. Numbers of 64 bits become numbers: credits and milliseconds stay below 2^53. */
export function connectionSettings(url: string) {
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
/** What the server's answer that it canceled a statement may take. */
const cancelResponseMs = 30;
const maxConnections = 10;
const maxWaitRounds = 10;
const poolLimitMs = 10_000;

function safeInteger(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number)) throw new RangeError(`${text} is too large for a number`);
  return number;
}

async function withTimeout<T>(ms: number, work: readonly Promise<T>[]): Promise<T> {
  const timeout = Promise.withResolvers<never>();
  // If this process itself was busy, the answer may have arrived already: it is read in the next turn of the event loop.
  const timer = setTimeout(
    () => setImmediate(() => timeout.reject(new QueryTimeoutError(`no answer within ${ms} ms`))),
    ms,
  );
  try {
    return await Promise.race([...work, timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}
