import type { Problem } from '../../domain/problems.ts';
import type { HttpRequestContext, HttpResponse } from '../http-request-context.ts';
import { resultResponse } from './response.ts';
import { json } from '../messages/media-types.ts';
import { problemExtensions, problemHeaders } from '../messages/problem-response.ts';

/** Renders a problem that occurred before execution as a GraphQL error. */
export function graphqlProblemResponse(
  problem: Problem,
  request: HttpRequestContext,
  docsUrl: string,
): HttpResponse {
  const response = resultResponse(textOf(problem, docsUrl), problem.status, request);
  return { ...response, headers: { ...response.headers, ...problemHeaders(problem) } };
}

/** Renders a problem as JSON, whatever the `Accept` header: the same for every request. */
export function graphqlRejection(problem: Problem, docsUrl: string): HttpResponse {
  const headers = { 'content-type': json, 'cache-control': 'no-store', ...problemHeaders(problem) };
  return { status: problem.status, headers, body: textOf(problem, docsUrl) };
}

function textOf(problem: Problem, docsUrl: string): string {
  return JSON.stringify({
    errors: [{ message: problem.message, extensions: problemExtensions(problem, docsUrl) }],
  });
}
