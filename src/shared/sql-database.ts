/** Runs one statement. Parameters are `$1`, `$2` …, each of them text, a number or null. */
export type SqlQuery = <Row>(
  sql: string,
  params?: readonly (string | number | null)[],
) => Promise<readonly Row[]>;

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

/** The differences between the databases. */
export interface SqlDialect {
  /** Returns the rows of a JSON array of texts as a table `each` with the column `value`. */
  readonly each: (parameter: string) => string;
  /** Follows a SELECT whose rows other processes must skip until the statement ends. */
  readonly skipLocked: string;
}
