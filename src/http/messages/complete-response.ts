import type { Cost } from '../../accounts/credits.ts';
import type { Context } from '../../execution/context.ts';
import { serverTiming } from '../../lookup/timings.ts';
import { matchesIfNoneMatch } from './etag.ts';
import type { HttpRequestContext, HttpResponse } from '../http-request-context.ts';
import { costHeaders } from './credit-headers.ts';

/** The outcome of a buffered response. */
export interface Completion {
  /** The client's copy is still valid, so the response is a 304. */
  readonly isNotModified: boolean;
  /** Undefined for a caller that is not metered. */
  readonly cost: Cost | undefined;
}

/**
 * Charges for a response, and sets its cost and `Server-Timing` headers. A 304 is free if no
 * registry was queried.
 */
export async function completeResponse(
  etag: string | undefined,
  { meter, lookup }: Context,
  http: HttpRequestContext,
): Promise<Completion> {
  const isNotModified =
    etag !== undefined && matchesIfNoneMatch(http.request.headers['if-none-match'], etag);
  const cost = (isNotModified && (await meter?.waive())) || (await meter?.settle('completed'));
  http.responseHeaders['server-timing'] = serverTiming(lookup.timings);
  if (cost) Object.assign(http.responseHeaders, costHeaders(cost));
  return { isNotModified, cost };
}

/** Charges for a REST response. Returns it, or a 304 if the client's copy is still valid. */
export async function completeRestResponse(
  response: HttpResponse,
  context: Context,
  http: HttpRequestContext,
): Promise<HttpResponse> {
  const { isNotModified } = await completeResponse(response.headers['etag'], context, http);
  if (!isNotModified) return response;
  const { 'content-type': _ofBody, ...headers } = response.headers;
  return { status: 304, headers };
}
