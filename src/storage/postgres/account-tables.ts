import { systemClock } from '../../clock.ts';
import type { SqlParams } from '../../shared/sql-database.ts';
import { accountStatements, type StatementName } from '../account-statements.ts';
import type { AccountTables } from '../account-store.ts';
import { DatabaseUnavailableError } from './database-errors.ts';
import type { Database } from './database.ts';
import { postgresDialect } from './dialect.ts';
import { postgresProcedures } from './procedures.ts';

const statements = accountStatements(postgresDialect, postgresProcedures);

/**
 * The tables in a database that several nodes share. Each call is one statement, and rejects with
 * `DatabaseUnavailableError`: nothing is charged then.
 */
export class PostgresTables implements AccountTables {
  readonly isShared = true;
  readonly #database: Database;
  readonly #ownsDatabase: boolean;
  readonly #calls = new Set<Promise<unknown>>();
  /**
   * Charges whose statement was sent but not confirmed: the caller received an error, so nothing may
   * be charged. Reservations need not be reversed, as they expire. Each is the id of the charge and
   * of its account.
   */
  readonly #unconfirmed = new Set<SqlParams>();
  #isReversalScheduled = false;

  /** If `ownsDatabase`, closing the tables closes the database. */
  constructor(database: Database, ownsDatabase: boolean) {
    this.#database = database;
    this.#ownsDatabase = ownsDatabase;
  }

  async run<Row>(name: StatementName, params: () => SqlParams): Promise<readonly Row[]> {
    const [text = ''] = statements[name];
    const sent = params();
    const call = this.#database.rows<Row>(text, sent);
    this.#calls.add(call);

    try {
      return await call;
    } catch (error) {
      if (name === 'charge' || name === 'settle') this.#reverseIfUnconfirmed(sent, error);
      throw error;
    } finally {
      this.#calls.delete(call);
    }
  }

  /** Waits for pending calls, and tries to reverse unconfirmed charges. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#calls);
    await this.#reverseAll();
    if (this.#ownsDatabase) await this.#database.close();
  }

  #reverseIfUnconfirmed([id = null, accountId = null]: SqlParams, error: unknown): void {
    if (!(error instanceof DatabaseUnavailableError && error.maybeApplied)) return;
    this.#unconfirmed.add([id, accountId]);
    this.#scheduleReversal();
  }

  /** Reverses as many charges as possible now, and the rest later. Never rejects. */
  async #reverseAll(): Promise<void> {
    for (const charge of this.#unconfirmed)
      await this.#database.rows('SELECT reverse_charge($1, $2, NULL)', charge).then(
        () => this.#unconfirmed.delete(charge),
        () => this.#scheduleReversal(),
      );
  }

  #scheduleReversal(): void {
    if (this.#isReversalScheduled) return;
    this.#isReversalScheduled = true;
    systemClock.after(reversalDelayMs, () => {
      this.#isReversalScheduled = false;
      void this.#reverseAll();
    });
  }
}

const reversalDelayMs = 500;
