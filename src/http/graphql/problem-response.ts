import type { Problem } from '../../domain/problems.ts';
import type { HttpRequestContext, HttpResponse } from '../http-request-context.ts';
import { resultResponse } from './response.ts';
import { json } from '../request/media-types.ts';
import { problemExtensions, problemHeaders } from '../response/problem-response.ts';

/** A request that never reached GraphQL, said as GraphQL says it. */
export function graphqlProblemResponse(
  problem: Problem,
  request: HttpRequestContext,
): HttpResponse {
  const response = resultResponse(textOf(problem), problem.status, request);
  return { ...response, headers: { ...response.headers, ...problemHeaders(problem) } };
}

/** The same for every call, whatever its client prefers to read. */
export function graphqlRejection(problem: Problem): HttpResponse {
  const headers = { 'content-type': json, 'cache-control': 'no-store', ...problemHeaders(problem) };
  return { status: problem.status, headers, body: textOf(problem) };
}

function textOf(problem: Problem): string {
  return JSON.stringify({
    errors: [{ message: problem.message, extensions: problemExtensions(problem) }],
  });
}
