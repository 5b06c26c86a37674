import type { Clock } from '../clock.ts';
import type { DomainName } from '../domain/names/domain-name.ts';
import { watchAccount, type AttemptRequest } from '../domain/source.ts';
import type { Log } from '../log.ts';
import type { SqlDatabase } from '../shared/sql-database.ts';
import { minuteMs } from './schedule.ts';

/** A row of which only this process looks at the name until the claim ends, in epoch ms. */
export type Claim<Row> = Row & { readonly name: DomainName; readonly claimedUntil: number };

export interface DueNamesOptions<Row> {
  readonly database: SqlDatabase;
  /** Has the columns `name` and `next_look`, in epoch ms. */
  readonly table: string;
  /** What else a look needs of a row. */
  readonly columns: string;
  readonly maxInFlight: number;
  /** Runs before due names are read. */
  readonly prepare: () => Promise<void>;
  readonly look: (claim: Claim<Row>) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

/** How often due names are read. */
const roundMs = 10_000;
/** Longer than any lookup: if a process dies, its names are due again after this time. */
const claimMs = 2 * minuteMs;
const queueMs = 30_000;

/** Claims the names that are due in a table, and runs a look for each. */
export class DueNames<Row> {
  readonly #options: DueNamesOptions<Row>;
  readonly #stopping = new AbortController();
  readonly #inFlight = new Set<Promise<void>>();
  #round: Promise<void> | undefined;
  #isDue = false;
  #cancelTimer: (() => void) | undefined;

  constructor(options: DueNamesOptions<Row>) {
    this.#options = options;
  }

  get isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** Looks at the names that are due now, and then every ten seconds. */
  wake(): void {
    if (this.isStopping) return;

    this.#isDue = true;
    this.#round ??= this.#lookWhileDue().finally(() => {
      this.#round = undefined;
      if (this.#isDue) return this.wake();
      this.#cancelTimer?.();
      if (!this.isStopping)
        this.#cancelTimer = this.#options.clock.after(roundMs, () => this.wake());
    });
  }

  /** Aborts the looks that are not made yet, and waits for the others. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#cancelTimer?.();
    await this.idle();
  }

  /** Resolves when all looks that were due are made. */
  async idle(): Promise<void> {
    while (this.#round) await this.#round;
    await Promise.all(this.#inFlight);
  }

  /** Returns how a look queries: with the lowest priority, until the process stops. */
  request(): AttemptRequest {
    return {
      signal: this.#stopping.signal,
      account: watchAccount,
      priority: 'watch',
      queueDeadline: this.#options.clock.now() + queueMs,
    };
  }

  /** Sets when a name is due, unless the claim has ended. */
  async postpone({ name, claimedUntil }: Claim<unknown>, nextLook: number): Promise<void> {
    const { database, table } = this.#options;
    await database.query(`UPDATE ${table} SET next_look = $3 WHERE name = $1 AND next_look = $2`, [
      name,
      claimedUntil,
      Math.round(nextLook),
    ]);
  }

  async #lookWhileDue(): Promise<void> {
    const { prepare, maxInFlight, log, table } = this.#options;
    try {
      while (this.#isDue && !this.isStopping) {
        this.#isDue = false;
        await prepare();
        const free = maxInFlight - this.#inFlight.size;
        const claims = free > 0 ? await this.#claim(free) : [];
        for (const claim of claims) this.#start(claim);
        if (claims.length < free) return;

        this.#isDue = true;
        await Promise.race(this.#inFlight);
      }
    } catch (error) {
      this.#isDue = false;
      log.warn({ err: error, table }, 'Due names could not be read. Retrying in 10 s.');
    }
  }

  #start(claim: Claim<Row>): void {
    const { look, log, table } = this.#options;
    const running = look(claim)
      .catch((error: unknown) => {
        if (!this.isStopping)
          log.warn({ err: error, table }, 'A look at a name failed. It is due again.');
      })
      .finally(() => this.#inFlight.delete(running));

    this.#inFlight.add(running);
  }

  async #claim(limit: number): Promise<readonly Claim<Row>[]> {
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
