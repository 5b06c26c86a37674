export type SqlParams = readonly (string | number | null)[];

/** Runs one statement. Parameters are `$1`, `$2` …, each of them text, a number or null. */
export type SqlQuery = <Row>(sql: string, params?: SqlParams) => Promise<readonly Row[]>;

/** A SQL database of either kind. Statements are the same for both, except for what `dialect` has. */
export interface SqlDatabase {
  readonly dialect: SqlDialect;
  /** Runs one statement, durable when its promise resolves. Rejects if it was not applied. */
  readonly query: SqlQuery;
  /**
   * Runs `work` in a transaction, which is rolled back if it rejects. Only one transaction runs at a
   * time, whatever the number of processes: what it writes becomes visible in the order of writing.
   * `work` must use the query that it gets.
   */
  transaction<T>(work: (query: SqlQuery) => Promise<T>): Promise<T>;
  /** Waits for pending calls. */
  close(): Promise<void>;
}

/** The differences between the databases. Each function returns an expression. */
export interface SqlDialect {
  /** Returns the rows of a JSON array of texts as a table `each` with the column `value`. */
  readonly each: (parameter: string) => string;
  /** Follows a SELECT whose rows other processes must skip until the statement ends. */
  readonly skipLocked: string;
  /** Returns a time in epoch milliseconds; a database with a clock of its own uses it for null. */
  readonly time: (parameter: string) => string;
  /** Returns the month of such a time, such as 2026-11. */
  readonly month: (parameter: string) => string;
  /** Converts a JSON array of texts to the form that a column has. */
  readonly toTexts: (parameter: string) => string;
  /** Converts such a column to JSON. */
  readonly fromTexts: (column: string) => string;
}

/** Returns the only row of a statement that always returns exactly one. */
export function singleRow<T>([row]: readonly T[]): T {
  if (row === undefined) throw new Error('The statement returned no row.');
  return row;
}
