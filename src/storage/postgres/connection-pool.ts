import { DatabaseError, Pool, types, type PoolClient, type QueryConfig } from 'pg';
import { systemClock } from '../../clock.ts';
import { isOutage, wasCanceled } from './database-errors.ts';

/** The server did not respond in time. */
class QueryTimeoutError extends Error {
  override readonly name = 'QueryTimeoutError';
}

type RunStatement = <T>(statement: QueryConfig) => Promise<readonly T[]>;

/** Opens connections on demand and reuses them. */
export class ConnectionPool {
  readonly #pool: Pool;
  readonly #closed = Promise.withResolvers<never>();
  #established = 0;
  #poolLimitUntil = 0;
  #lastResponseAt = 0;

  /**
   * The server cancels statements shortly before `deadlineMs`, so that none holds a lock or a
   * connection after its caller has given up.
   */
  constructor(url: string, deadlineMs: number) {
    this.#pool = new Pool({
      ...connectionSettings(url),
      max: maxConnections,
      min: 1,
      connectionTimeoutMillis: connectTimeoutMs,
      // Not a startup parameter of the connection: poolers reject unknown ones.
      onConnect: (client) =>
        client.query(`SET statement_timeout = ${deadlineMs - cancelResponseMs}`) as unknown as void,
    });
    this.#closed.promise.catch(() => undefined);

    // A connection that breaks while idle has already been removed from the pool.
    this.#pool.on('error', () => undefined);
    this.#pool.on('connect', (client) => {
      this.#established += 1;
      // The interrupted statement is rejected too; an `error` event without a listener would end
      // the process.
      client.on('error', () => undefined);
    });
    this.#pool.on('remove', () => (this.#established -= 1));
  }

  /**
   * Runs one statement. Rejects with `QueryTimeoutError` if it is not answered in time, with what
   * `pg` throws, or when the pool is closed. `onSent` is called when the statement is sent.
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

  /**
   * Runs `work` in a transaction, which is rolled back if it rejects. Each of its statements may take
   * `deadlineMs`. Resolves to what `work` rejects with on its own, and rejects as `run` does.
   */
  async transaction<T>(
    deadlineMs: number,
    work: (run: RunStatement) => Promise<T>,
  ): Promise<{ readonly value: T } | { readonly rejection: unknown }> {
    const client = await this.#acquire(deadlineMs);
    let hasFailed = false;

    const run = async <R>(statement: QueryConfig) => {
      try {
        const { rows } = await withTimeout(deadlineMs, [client.query(statement)]);
        this.#lastResponseAt = systemClock.elapsed();
        return rows as readonly R[];
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    };

    try {
      await run({ text: `BEGIN; SET LOCAL statement_timeout = ${deadlineMs - cancelResponseMs}` });
      const value = await work(run);
      await run({ text: 'COMMIT' });
      client.release();
      return { value };
    } catch (rejection) {
      // The server rolls back when the connection ends.
      client.release(true);
      if (hasFailed) throw rejection;
      return { rejection };
    }
  }

  /** Returns whether a statement was answered at or after `elapsedMs` (monotonic clock). */
  hasRespondedSince(elapsedMs: number): boolean {
    return this.#lastResponseAt >= elapsedMs;
  }

  /** Rejects waiting calls and closes idle connections now, others when they are released. */
  close(): Promise<void> {
    this.#closed.reject(new Error('The connection pool was closed.'));
    return this.#pool.end();
  }

  /** Waits for a connection as long as other calls are being answered. */
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
      // The server accepts no more connections (too_many_connections): reuse the established ones.
      if (!(error instanceof DatabaseError && error.code === '53300') || this.#established === 0)
        throw error;
      this.#pool.options.max = this.#established;
      this.#poolLimitUntil = systemClock.elapsed() + poolLimitMs;
      return await this.#pool.connect();
    }
  }
}

/**
 * Returns the settings of every database connection. 64-bit integers are returned as numbers:
 * credits and milliseconds stay below 2^53.
 */
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

/** Opening a connection may take longer than a statement may: it then serves the next one. */
export const connectTimeoutMs = 5000;
/** Time for the server's response that it canceled a statement. */
const cancelResponseMs = 30;
const maxConnections = 10;
const maxWaitRounds = 10;
const poolLimitMs = 10_000;

function safeInteger(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number))
    throw new RangeError(`${text} exceeds the range of safe integers.`);
  return number;
}

async function withTimeout<T>(ms: number, work: readonly Promise<T>[]): Promise<T> {
  const timeout = Promise.withResolvers<never>();
  // If this process was busy, the response may already have arrived: it is read in the next turn of
  // the event loop.
  const timer = setTimeout(
    () => setImmediate(() => timeout.reject(new QueryTimeoutError(`No response within ${ms} ms.`))),
    ms,
  );
  try {
    return await Promise.race([...work, timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}
