import { DatabaseError } from 'pg';

/**
 * The database did not run a valid statement: it is down, frozen, full, locked, or has become a
 * replica.
 */
export class DatabaseUnavailableError extends Error {
  override readonly name = 'DatabaseUnavailableError';
  /** The statement was sent, and no response confirms that it was not applied. */
  readonly maybeApplied: boolean;

  constructor(
    message: string,
    { cause, maybeApplied }: { readonly cause?: unknown; readonly maybeApplied: boolean },
  ) {
    super(message, { cause });
    this.maybeApplied = maybeApplied;
  }
}

/**
 * Returns whether the database failed rather than the statement (invalid SQL, a violated
 * constraint).
 */
export function isOutage(error: unknown): boolean {
  return !(error instanceof DatabaseError) || outageStates.test(error.code ?? '');
}

/**
 * Returns whether the server canceled the statement because it exceeded `statement_timeout`. It was
 * rolled back, and the server is available.
 */
export function wasCanceled(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '57014';
}

/**
 * Returns whether the database reported that it did not apply the statement. A server that is
 * shutting down may report this for a statement that it did apply.
 */
export function wasRejected(error: unknown): boolean {
  return (
    wasCanceled(error) ||
    (error instanceof DatabaseError && !/^(?:08|57|58|XX)/.test(error.code ?? ''))
  );
}

// Classes: connection, authorization, no such database, resources (too many connections, full
// disk), operator intervention (shutting down, starting up, canceled), I/O, internal. 25006 is a
// write on a replica, as after a failover.
const outageStates = /^(?:08|28|3D|53|57|58|XX|25006)/;
