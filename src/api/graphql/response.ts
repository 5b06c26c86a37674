import { problems, type Problem } from '../../domain/problems.ts';
import type { HttpRequestContext, HttpResponse } from '../../server/http-request-context.ts';
import { eventStream, graphqlJson, json, negotiate } from '../../server/messages/media-types.ts';
import { problemExtensions, problemHeaders } from '../../server/messages/problem-response.ts';
import type { RenderedResult } from './errors.ts';
import { singleResult, streamedResponse } from './streams.ts';

/**
 * Returns the response for a buffered result, whose JSON is `text`. The first error determines its
 * status if nothing was executed. `caching` is used for a GET.
 */
export function bufferedResponse(
  result: RenderedResult,
  text: string,
  request: HttpRequestContext,
  caching?: CachingHeaders,
): HttpResponse {
  const { code, retryAfter } = result.errors?.[0]?.extensions ?? {};
  const status = code === undefined ? 200 : problems[code].status;
  const mediaType = negotiate('buffered', request);
  const ofError = code === undefined ? {} : { code };
  // Clients that accept server-sent events cannot read any other body, so errors are sent as events.
  if (mediaType === eventStream && !httpOnlyStatuses.has(status))
    return { ...streamedResponse(singleResult(text), eventStream), ...ofError };

  if (result.data !== undefined)
    return { ...resultResponse(text, 200, request, caching), ...ofError };

  // GraphQL over HTTP: with application/json, even a document that does not parse gets a 200.
  const isAlwaysOk = mediaType !== graphqlJson && status === 400;
  const { headers, ...response } = resultResponse(text, isAlwaysOk ? 200 : status, request);
  const retry = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };

  return { ...response, headers: { ...headers, ...retry }, ...ofError };
}

/** Statuses that are used as the HTTP status in every media type, because nothing was executed. */
const httpOnlyStatuses = new Set([401, 402, 403, 429, 503]);

/** The caching headers of the response to a GET. */
export interface CachingHeaders {
  readonly 'cache-control': string;
  readonly age?: string;
  readonly etag?: string;
}

const noStore = { 'cache-control': 'no-store' };

/** Returns a JSON response with a result. Also used for requests that were not executed. */
function resultResponse(
  text: string,
  status: number,
  request: HttpRequestContext,
  caching: CachingHeaders = noStore,
): HttpResponse {
  const mediaType = negotiate('buffered', request) === graphqlJson ? graphqlJson : json;
  const headers = request.method === 'GET' ? { ...caching, vary } : {};
  return { status, headers: { 'content-type': mediaType, ...headers }, body: text };
}

/**
 * The response to a GET depends on the key and on `Accept`: the same URL serves GraphiQL and
 * streams.
 */
const vary = 'Accept, X-API-Key, Authorization';

/** Returns a 304 response, for a client whose copy of the result is still valid. */
export function notModifiedResponse(caching: CachingHeaders): HttpResponse {
  return { status: 304, headers: { ...caching, vary } };
}

/**
 * Renders a problem that occurred before execution as a GraphQL error. Without a request, which was
 * not read, the response is JSON.
 */
export function graphqlProblemResponse(
  problem: Problem,
  request: HttpRequestContext | undefined,
  docsUrl: string,
): HttpResponse {
  const error = { message: problem.message, extensions: problemExtensions(problem, docsUrl) };
  const text = JSON.stringify({ errors: [error] });
  const response = request
    ? resultResponse(text, problem.status, request)
    : { status: problem.status, headers: { 'content-type': json, ...noStore }, body: text };
  return { ...response, headers: { ...response.headers, ...problemHeaders(problem) } };
}
