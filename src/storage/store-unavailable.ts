import { Problem } from '../domain/problems.ts';

/** Returns the problem of a statement that the database did not run. `cause` is for the log. */
export function storeUnavailable(cause: unknown): Problem {
  const detail = 'The store is temporarily unavailable. Try again later.';
  return new Problem('unavailable', detail, { cause, retryAfter: 5 });
}
