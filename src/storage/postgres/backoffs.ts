import type { BackoffStore } from '../../outbound/queues/backoffs.ts';
import type { Database } from './database.ts';

/**
 * Shares back-offs between nodes. Times are relative to the database's clock, as the clocks of the
 * nodes differ.
 */
export class PostgresBackoffs implements BackoffStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async read(): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#database.rows<Backoff>(readBackoffs);
    return new Map(rows.map(({ origin, ms }) => [origin, ms]));
  }

  async save(origin: string, ms: number): Promise<void> {
    await this.#database.rows('SELECT save_backoff($1, $2)', [origin, Math.ceil(ms)]);
  }

  subscribe(onBackoff: (origin: string, ms: number) => void): void {
    const onNotification = (payload: string) => {
      const backoff = readNotification(payload);
      if (backoff) onBackoff(backoff.origin, backoff.ms);
    };
    this.#database.subscribe('registry_backoffs', onNotification);
  }
}

interface Backoff {
  readonly origin: string;
  readonly ms: number;
}

const readBackoffs =
  'SELECT origin, until - epoch_ms() AS ms FROM registry_backoffs WHERE until > epoch_ms()';

/**
 * Parses a notification. Returns undefined for text in another form, which every client with access
 * to the database can send.
 */
function readNotification(payload: string): Backoff | undefined {
  const [, ms, origin] = /^(\d{1,9}) (\S+)$/.exec(payload) ?? [];
  return origin === undefined ? undefined : { origin, ms: Number(ms) };
}
