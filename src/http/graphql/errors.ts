import { GraphQLError } from 'graphql';
import { withoutKeys } from '../../accounts/api-key.ts';
import type { Log } from '../../log.ts';
import { Problem } from '../../domain/problems.ts';
import { logged, type Call } from '../call.ts';
import {
  asProblem,
  isOurs,
  problemExtensions,
  type Extensions,
} from '../response/problem-response.ts';

export interface RenderedError {
  readonly message: string;
  readonly locations?: readonly unknown[];
  readonly path?: readonly unknown[];
  readonly extensions: Extensions;
}

/** An error for the client: its code, and nothing of ours. What is our fault is logged with the request id. */
export function renderError(error: unknown, call: Call, log: Log): RenderedError {
  const problem = problemOf(error);
  if (isOurs(problem)) log.error({ err: problem.cause, ...logged(call) }, 'the gateway failed');
  return {
    message: cut(withoutKeys(problem.message)),
    ...(error instanceof GraphQLError && error.locations && { locations: error.locations }),
    ...(error instanceof GraphQLError && error.path && { path: error.path }),
    extensions: problemExtensions(problem),
  };
}

/** No literal of the request comes back at length, and no suggestion that tells a stranger of names he did not know. */
function cut(message: string): string {
  const told = message.replace(/ Did you mean .*\?$/s, '');
  return told.length > longestMessage ? `${told.slice(0, longestMessage - 1)}…` : told;
}

const longestMessage = 200;

function problemOf(error: unknown): Problem {
  if (!(error instanceof GraphQLError)) return asProblem(error);
  if (error.originalError) return problemOf(error.originalError);
  // What graphql itself raises is about the request: a resolver's own failure is its originalError.
  return new Problem('invalid_query', error.message);
}
