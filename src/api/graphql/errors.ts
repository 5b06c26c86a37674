import { GraphQLError } from 'graphql';
import { redactKeys } from '../../accounts/api-key.ts';
import { Problem } from '../../domain/problems.ts';
import { causeOf } from '../../execution/result.ts';
import { maxReportedErrors } from '../../execution/sent-document.ts';
import type { Log } from '../../log.ts';
import { logFields, type LoggedRequest } from '../../server/http-request-context.ts';
import {
  asProblem,
  isServerFault,
  problemExtensions,
} from '../../server/messages/problem-response.ts';

/** A result with rendered errors. */
export interface RenderedResult {
  readonly data?: unknown;
  readonly errors?: readonly ReturnType<typeof renderError>[];
  readonly hasNext?: boolean;
}

export interface ErrorOptions {
  readonly allowIntrospection: boolean;
  readonly docsUrl: () => string;
  readonly log: Log;
}

/** Renders an error for the client, without internal details. Logs server faults. */
export function renderError(
  error: unknown,
  request: LoggedRequest,
  { allowIntrospection, docsUrl, log }: ErrorOptions,
) {
  const problem = problemOf(error);
  const { message } = problem;

  if (isServerFault(problem))
    log.error(
      { err: problem.cause, code: problem.code, ...logFields(request) },
      'Request failed. If the code is internal, report it with the stack trace.',
    );

  return {
    message: truncate(redactKeys(allowIntrospection ? message : withoutSuggestion(message))),
    ...(error instanceof GraphQLError && error.locations && { locations: error.locations }),
    ...(error instanceof GraphQLError && error.path && { path: error.path }),
    extensions: problemExtensions(problem, docsUrl()),
  };
}

/** Removes suggestions of graphql-js, which reveal names of the schema. */
function withoutSuggestion(message: string): string {
  return message.endsWith('?') ? message.replace(/ Did you mean .*$/s, '') : message;
}

/** Truncates a message, which may quote long literals. */
function truncate(message: string): string {
  return message.length > maxMessageLength ? `${message.slice(0, maxMessageLength - 1)}…` : message;
}

const maxMessageLength = 200;

function problemOf(error: unknown): Problem {
  const cause = error instanceof GraphQLError ? causeOf(error) : error;
  if (error instanceof GraphQLError && cause === undefined)
    return new Problem('invalid_query', error.message);
  return asProblem(cause);
}

/** A result of an operation, or a part of one. */
export interface RawResult {
  readonly data?: unknown;
  readonly errors?: readonly unknown[] | undefined;
  readonly hasNext?: boolean;
  readonly incremental?: readonly RawResult[];
  /** In the newer format of `@defer`: the completed fragments, with the errors of failed ones. */
  readonly completed?: readonly RawResult[];
}

export function renderResult(
  { errors, incremental, completed, ...rest }: RawResult,
  request: LoggedRequest,
  options: ErrorOptions,
): RenderedResult {
  const renderAll = (parts: readonly RawResult[]) =>
    parts.map((part) => renderResult(part, request, options));
  return {
    ...rest,
    ...(errors && {
      errors: errors
        .slice(0, maxReportedErrors)
        .map((error) => renderError(error, request, options)),
    }),
    ...(incremental && { incremental: renderAll(incremental) }),
    ...(completed && { completed: renderAll(completed) }),
  };
}
