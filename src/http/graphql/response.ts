import type { Cost } from '../../accounts/credits.ts';
import type { HttpRequestContext, HttpResponse } from '../http-request-context.ts';
import type { RenderedError } from './errors.ts';
import { singleResult, streamedResponse } from './streams.ts';
import { eventStream, graphqlJson, json, negotiate } from '../request/media-types.ts';

/** A result on its way out, errors rendered. */
export interface RenderedResult {
  readonly data?: unknown;
  readonly errors?: readonly RenderedError[];
  readonly hasNext?: boolean;
}

/** A result in one piece, and its JSON; `status` is for one of which nothing ran, `caching` for one that answers a GET. */
export function bufferedResponse(
  result: RenderedResult,
  text: string,
  status: number,
  request: HttpRequestContext,
  caching?: CachingHeaders,
): HttpResponse {
  const mediaType = negotiate('buffered', request);
  // Who reads events finds errors in an event, too: to such a client any other body is a broken stream.
  if (mediaType === eventStream && !httpOnlyStatuses.has(status))
    return streamedResponse(singleResult(text), eventStream);
  // GraphQL over HTTP: under application/json even a document that does not parse is a well-formed answer.
  const isAlwaysOk = mediaType !== graphqlJson && (status === 400 || status === 200);
  if (result.data !== undefined) return resultResponse(text, 200, request, caching);
  const response = resultResponse(text, isAlwaysOk ? 200 : status, request);
  const retryAfter = result.errors?.[0]?.extensions.retryAfter;
  return retryAfter === undefined
    ? response
    : { ...response, headers: { ...response.headers, 'retry-after': String(retryAfter) } };
}

/** What the HTTP status must say whatever the client reads: then nothing has run. */
const httpOnlyStatuses = new Set([401, 402, 403, 429, 503]);

/** How the answer to a GET may be cached. */
export interface CachingHeaders {
  readonly 'cache-control': string;
  readonly age?: string;
  readonly etag?: string;
}

/** A result, by its JSON. A request that never reached GraphQL is answered so, whatever the client would rather read. */
export function resultResponse(
  text: string,
  status: number,
  request: HttpRequestContext,
  caching: CachingHeaders = { 'cache-control': 'no-store' },
): HttpResponse {
  const mediaType = negotiate('buffered', request) === graphqlJson ? graphqlJson : json;
  const headers = request.method === 'GET' ? { ...caching, vary } : {};
  return { status, headers: { 'content-type': mediaType, ...headers }, body: text };
}

/** The response to a GET depends on the caller, and on what the client reads: others get the GraphiQL page, or a stream, at the same URL. */
const vary = 'Accept, X-API-Key, Authorization';

/** The response to a client whose copy of the result is still valid. */
export function notModifiedResponse(caching: CachingHeaders): HttpResponse {
  return { status: 304, headers: { ...caching, vary } };
}

/** The JSON of a result, which is never empty, with what it cost. */
export function withCost(text: string, cost: Cost | undefined): string {
  return cost ? `${text.slice(0, -1)},"extensions":${JSON.stringify({ cost })}}` : text;
}
