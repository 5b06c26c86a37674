import { GraphQLError } from 'graphql';
import { redactKeys } from '../../accounts/api-key.ts';
import type { Log } from '../../log.ts';
import { Problem } from '../../domain/problems.ts';
import { logFields, type HttpRequestContext } from '../http-request-context.ts';
import {
  asProblem,
  isServerFault,
  problemExtensions,
  type ProblemExtensions,
} from '../response/problem-response.ts';

export interface RenderedError {
  readonly message: string;
  readonly locations?: readonly unknown[];
  readonly path?: readonly unknown[];
  readonly extensions: ProblemExtensions;
}

/** An error for the client: its code, and nothing of ours. What is our fault is logged with the request id. */
export function renderError(error: unknown, request: HttpRequestContext, log: Log): RenderedError {
  const problem = problemOf(error);
  if (isServerFault(problem))
    log.error({ err: problem.cause, ...logFields(request) }, 'the gateway failed');
  return {
    message: sanitizeMessage(redactKeys(problem.message)),
    ...(error instanceof GraphQLError && error.locations && { locations: error.locations }),
    ...(error instanceof GraphQLError && error.path && { path: error.path }),
    extensions: problemExtensions(problem),
  };
}

/** No literal of the request comes back at length, and no suggestion that tells a stranger of names he did not know. */
function sanitizeMessage(message: string): string {
  const withoutSuggestion = message.replace(/ Did you mean .*\?$/s, '');
  return withoutSuggestion.length > maxMessageLength
    ? `${withoutSuggestion.slice(0, maxMessageLength - 1)}…`
    : withoutSuggestion;
}

const maxMessageLength = 200;

function problemOf(error: unknown): Problem {
  if (!(error instanceof GraphQLError)) return asProblem(error);
  if (error.originalError) return problemOf(error.originalError);
  // What graphql itself raises is about the request: a resolver's own failure is its originalError.
  return new Problem('invalid_query', error.message);
}
