import type { Cost } from '../../accounts/credits.ts';
import type { Call, Reply } from '../call.ts';
import type { RenderedError } from './errors.ts';
import { only, streamedReply } from './streams.ts';
import { eventStream, graphqlJson, json, negotiated } from '../request/media-types.ts';

/** A result on its way out, errors rendered. */
export interface Result {
  readonly data?: unknown;
  readonly errors?: readonly RenderedError[];
  readonly hasNext?: boolean;
}

/** A result in one piece, and its JSON; `status` is for one of which nothing ran, `caching` for one that answers a GET. */
export function wholeReply(
  result: Result,
  text: string,
  status: number,
  call: Call,
  caching?: CachingHeaders,
): Reply {
  const media = negotiated('whole', call);
  // Who reads events finds errors in an event, too: to such a client any other body is a broken stream.
  if (media === eventStream && !alwaysAsStatus.has(status))
    return streamedReply(only(text), eventStream);
  // GraphQL over HTTP: under application/json even a document that does not parse is a well-formed answer.
  const wellFormed = media !== graphqlJson && (status === 400 || status === 200);
  if (result.data !== undefined) return jsonResult(text, 200, call, caching);
  const reply = jsonResult(text, wellFormed ? 200 : status, call);
  const retryAfter = result.errors?.[0]?.extensions.retryAfter;
  return retryAfter === undefined
    ? reply
    : { ...reply, headers: { ...reply.headers, 'retry-after': String(retryAfter) } };
}

/** What the HTTP status must say whatever the client reads: then nothing has run. */
const alwaysAsStatus = new Set([401, 402, 403, 429, 503]);

/** How the answer to a GET may be cached. */
export interface CachingHeaders {
  readonly 'cache-control': string;
  readonly age?: string;
  readonly etag?: string;
}

/** A result, by its JSON. A request that never reached GraphQL is answered so, whatever the client would rather read. */
export function jsonResult(
  text: string,
  status: number,
  call: Call,
  caching: CachingHeaders = { 'cache-control': 'no-store' },
): Reply {
  const media = negotiated('whole', call) === graphqlJson ? graphqlJson : json;
  const headers = call.method === 'GET' ? { ...caching, vary } : {};
  return { status, headers: { 'content-type': media, ...headers }, body: text };
}

/** The response to a GET depends on the caller, and on what the client reads: others get the GraphiQL page, or a stream, at the same URL. */
const vary = 'Accept, X-API-Key, Authorization';

/** The response to a client whose copy of the result is still valid. */
export function notModified(caching: CachingHeaders): Reply {
  return { status: 304, headers: { ...caching, vary } };
}

/** The JSON of a result, which is never empty, with what it cost. */
export function costed(text: string, cost: Cost | undefined): string {
  return cost ? `${text.slice(0, -1)},"extensions":${JSON.stringify({ cost })}}` : text;
}
