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

/** Renders an error for the client, without internal details. Logs server faults. */
export function renderError(error: unknown, request: HttpRequestContext, log: Log): RenderedError {
  const problem = problemOf(error);
  if (isServerFault(problem))
    log.error(
      { err: problem.cause, code: problem.code, ...logFields(request) },
      'Request failed. If the code is internal, report it with the stack trace.',
    );
  return {
    message: sanitizeMessage(redactKeys(problem.message)),
    ...(error instanceof GraphQLError && error.locations && { locations: error.locations }),
    ...(error instanceof GraphQLError && error.path && { path: error.path }),
    extensions: problemExtensions(problem),
  };
}

/**
 * Truncates a message, which may quote long literals, and removes suggestions, which reveal names
 * of the schema.
 */
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
  // An error without `originalError` was raised by graphql-js itself, about the request.
  return new Problem('invalid_query', error.message);
}
