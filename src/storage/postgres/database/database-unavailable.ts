import { DatabaseError } from 'pg';

/** The database did not carry out a statement that was correct: it is gone, frozen, full, locked, or a replica by now. */
export class DatabaseUnavailableError extends Error {
  override readonly name = 'DatabaseUnavailableError';
  /** The statement was sent, and no answer came that says it was not carried out. */
  readonly maybeApplied: boolean;

  constructor(
    message: string,
    { cause, maybeApplied }: { readonly cause?: unknown; readonly maybeApplied: boolean },
  ) {
    super(message, { cause });
    this.maybeApplied = maybeApplied;
  }
}

/** Whether a failure is one of the database, as against one of the statement: wrong SQL, a broken constraint. */
export function isOutage(error: unknown): boolean {
  return !(error instanceof DatabaseError) || outageStates.test(error.code ?? '');
}

/** Whether the server canceled the statement, as it took longer than `statement_timeout`: it was rolled back, and the server is there. */
export function wasCanceled(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '57014';
}

/** Whether the database itself said that it did not carry the statement out. One that is shut down may say so after it did. */
export function wasRejected(error: unknown): boolean {
  return (
    wasCanceled(error) ||
    (error instanceof DatabaseError && !/^(?:08|57|58|XX)/.test(error.code ?? ''))
  );
}

// By class: connection, authorization, no such database, resources (too many connections, a full disk), operator intervention (shutting
// down, starting up, canceled), I/O, internal; 25006 is a write on a replica, as after a failover.
const outageStates = /^(?:08|28|3D|53|57|58|XX|25006)/;
