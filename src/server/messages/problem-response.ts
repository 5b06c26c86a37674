import Negotiator from 'negotiator';
import { Problem, problems, retryAfterOf, type ProblemCode } from '../../domain/problems.ts';
import { redactKeys } from '../../accounts/api-key.ts';
import { wwwAuthenticate } from '../../accounts/authenticate.ts';
import { jsonResponse, type HttpResponse } from '../http-request-context.ts';
import table from './error-object.json' with { type: 'json' };
import { json } from './media-types.ts';

/** Converts an error to a `Problem`. Other errors become `internal`, without details. */
export function asProblem(error: unknown): Problem {
  return error instanceof Problem
    ? error
    : new Problem('internal', 'Internal error. Try again later.', { cause: error });
}

/** Returns whether a problem is the gateway's fault. Its cause is then logged. */
export function isServerFault({ code }: Problem): boolean {
  return code === 'internal' || code === 'unavailable';
}

interface ProblemResponseOptions {
  readonly docsUrl: string;
  readonly path?: string | undefined;
  readonly requestId?: string | undefined;
  /** The request's `Accept` header. */
  readonly accept?: string | undefined;
}

/**
 * Renders a problem for REST as RFC 9457 defines it, with the members that client libraries of the
 * public API read in addition.
 */
export function problemResponse(
  problem: Problem,
  { docsUrl, path, requestId, accept }: ProblemResponseOptions,
): HttpResponse {
  const { status } = problem;
  const { code, title, detail, retryable, retry_after, ...others } = problemMembers(problem);
  const type = problemType(code, docsUrl);
  const sharedFields = {
    retryable,
    ...(retry_after !== undefined && { retry_after }),
    ...(requestId !== undefined && { request_id: requestId }),
  };
  const body = {
    type,
    title,
    status,
    detail,
    ...(path !== undefined && { instance: redactKeys(path) }),
    code,
    ...sharedFields,
    ...others,
    message: detail,
    error: {
      code: errorCodeOf(code),
      type: errorTypeOf(code),
      message: detail,
      status,
      ...sharedFields,
      docs_url: type,
    },
  };
  const headers = {
    'content-type': problemMediaType(accept),
    'cache-control': 'no-store',
    ...problemHeaders(problem),
  };

  return jsonResponse(status, body, headers);
}

/** Returns the members of a problem, with the keys of REST problems. API keys are redacted. */
export function problemMembers(problem: Problem) {
  const { code, param, credits, errors, retryable, oldestCursor, didYouMean = [] } = problem;
  const { title } = problems[code];
  const retryAfter = retryAfterOf(problem);

  return {
    code,
    title,
    detail: redactKeys(problem.message),
    retryable,
    ...(retryAfter !== undefined && { retry_after: retryAfter }),
    ...(param !== undefined && { param }),
    ...(oldestCursor !== undefined && { oldest_cursor: oldestCursor }),
    ...(didYouMean.length > 0 && { did_you_mean: didYouMean }),
    ...(credits && {
      credits_required: credits.required,
      credits_remaining: credits.remaining,
      resets_at: new Date(credits.resetsAt).toISOString(),
    }),
    ...(errors && {
      errors: errors.map((error) => ({ ...error, detail: redactKeys(error.detail) })),
    }),
  };
}

/** Returns the URL at which the documentation explains a problem. */
export function problemType(code: ProblemCode, docsUrl: string): string {
  return `${docsUrl}/errors#${code}`;
}

/** Returns the `extensions` of a problem in GraphQL. */
export function problemExtensions(problem: Problem, docsUrl: string) {
  const { code, param, credits, oldestCursor } = problem;
  const retryAfter = retryAfterOf(problem);

  return {
    code,
    type: problemType(code, docsUrl),
    ...(param !== undefined && { param }),
    ...(oldestCursor !== undefined && { oldestCursor }),
    ...(retryAfter !== undefined && { retryAfter }),
    ...(credits && {
      creditsRequired: credits.required,
      creditsRemaining: credits.remaining,
      resetsAt: new Date(credits.resetsAt).toISOString(),
    }),
  };
}

/** Returns the headers of a problem in either API. */
export function problemHeaders(problem: Problem): Record<string, string> {
  const { allow } = problem;
  const retryAfter = retryAfterOf(problem);

  return {
    ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
    ...(allow !== undefined && { allow }),
    ...wwwAuthenticate(problem),
  };
}

const problemJson = 'application/problem+json';

/**
 * Returns the media type of a problem: that of RFC 9457, except for clients that accept
 * `application/json` and neither problem details nor a wildcard.
 */
function problemMediaType(accept: string | undefined): string {
  if (accept === undefined) return problemJson;
  const accepted = new Negotiator({ headers: { accept: accept.toLowerCase() } }).mediaTypes();
  const acceptsProblems = [problemJson, 'application/*', '*/*'].some((media) =>
    accepted.includes(media),
  );
  return accepted.includes('application/json') && !acceptsProblems ? json : problemJson;
}

type ErrorType = keyof typeof table.types;

/** Values of `error.type`, by which client libraries of the public API choose an error class. */
export const errorTypes: Readonly<Record<ErrorType, string>> = table.types;

const typesByStatus = table.typesByStatus as Readonly<Partial<Record<number, ErrorType>>>;
const publicCodes: Readonly<Partial<Record<ProblemCode, string>>> = table.codes;

/** Returns `error.code`, which client libraries of the public API read; some codes have other names. */
export function errorCodeOf(code: ProblemCode): string {
  return publicCodes[code] ?? (problems[code].status === 400 ? 'BAD_REQUEST' : code.toUpperCase());
}

export function errorTypeOf(code: ProblemCode): ErrorType {
  // All other codes with status 503 are failures of the gateway itself.
  if (code === 'registry_busy' || code === 'ct_unavailable') return 'upstream_error';
  const { status } = problems[code];
  return typesByStatus[status] ?? (status >= 500 ? 'api_error' : 'request_error');
}
