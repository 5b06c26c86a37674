import type { Clock } from '../../clock.ts';
import type { DomainName } from '../../domain/names/domain-name.ts';
import { watchAccount, type AttemptRequest } from '../../domain/source.ts';
import type { Log } from '../../log.ts';
import type { SqlDatabase } from '../../shared/sql-database.ts';
import { PollingWorker } from './polling-worker.ts';
import { minuteMs } from '../schedule.ts';

/** A row of which only this process looks at the name until the claim ends, in epoch ms. */
export type ClaimedName<Row> = Row & { readonly name: DomainName; readonly claimedUntil: number };

/** What the workers are made of. */
export interface PollingParts {
  readonly database: SqlDatabase;
  readonly clock: Clock;
  readonly log: Log;
}

export interface DueNamesOptions extends PollingParts {
  /** Has the columns `name` and `next_look`, in epoch ms. */
  readonly table: string;
  /** What else a look needs of a row. */
  readonly columns: string;
  readonly maxInFlight: number;
}

/** Longer than any lookup: if a process dies, its names are due again after this time. */
const claimMs = 2 * minuteMs;
const queueMs = 30_000;

const failures = {
  ofClaim: 'Due names could not be read. Retrying in 10 s.',
  ofItem: 'A look at a name failed. It is due again.',
};

/** Claims the names that are due in a table, and runs a look for each. */
export abstract class DueNames<Row> extends PollingWorker<ClaimedName<Row>> {
  readonly #options: DueNamesOptions;

  constructor(options: DueNamesOptions) {
    const { log, table } = options;
    super({ ...options, log: log.child({ table }), failures });
    this.#options = options;
  }

  /** Runs before due names are read. */
  protected abstract prepare(): Promise<void>;

  /** Returns how a look queries: with the lowest priority, until the process stops. */
  request(): AttemptRequest {
    return {
      signal: this.stopSignal,
      account: watchAccount,
      priority: 'watch',
      queueDeadline: this.#options.clock.now() + queueMs,
    };
  }

  /** Sets when a name is due, unless the claim has ended. */
  async postpone({ name, claimedUntil }: ClaimedName<unknown>, nextLook: number): Promise<void> {
    const { database, table } = this.#options;
    await database.query(`UPDATE ${table} SET next_look = $3 WHERE name = $1 AND next_look = $2`, [
      name,
      claimedUntil,
      Math.round(nextLook),
    ]);
  }

  protected async claim(limit: number): Promise<readonly ClaimedName<Row>[]> {
    await this.prepare();
    const { database, table, columns, clock } = this.#options;
    const now = clock.now();
    const claimedUntil = now + claimMs;
    const rows = await database.query<Row & { readonly name: DomainName }>(
      `WITH due AS MATERIALIZED (SELECT name FROM ${table} WHERE next_look <= $1
         ORDER BY next_look LIMIT $2 ${database.dialect.skipLocked})
       UPDATE ${table} SET next_look = $3 WHERE name IN (SELECT name FROM due)
       RETURNING name, ${columns}`,
      [now, limit, claimedUntil],
    );

    return rows.map((row) => ({ ...row, claimedUntil }));
  }
}
