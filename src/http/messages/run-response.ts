import type { Rendered, Result } from '../../execution/result.ts';
import { serverTiming } from '../../lookup/timings.ts';
import type { HttpRequestContext, HttpResponse } from '../http-request-context.ts';
import { costHeaders } from './credit-headers.ts';
import { matchesIfNoneMatch } from './etag.ts';
import { withParameterNames, type ParameterNames } from './parameter-names.ts';

/** Returns a response, or a 304 if the client's copy is still valid. */
export function conditional(
  response: HttpResponse,
  http: HttpRequestContext,
): Rendered<HttpResponse> {
  if (!isUnchanged(response.headers['etag'], http)) return { value: response };
  const { 'content-type': _ofBody, ...headers } = response.headers;
  return { value: { status: 304, headers }, isUnchanged: true };
}

/** Returns whether the client's copy has this tag. */
export function isUnchanged(etag: string | undefined, { request }: HttpRequestContext): boolean {
  return etag !== undefined && matchesIfNoneMatch(request.headers['if-none-match'], etag);
}

/**
 * Returns the value of a run, or throws its error. Adds its cost and timings to the headers of the
 * response.
 */
export function valueOf<T>(
  result: Result<T>,
  { responseHeaders }: HttpRequestContext,
  names?: ParameterNames,
): T {
  if (result.cost) Object.assign(responseHeaders, costHeaders(result.cost));
  if ('error' in result) throw names ? withParameterNames(result, names) : result.error;
  responseHeaders['server-timing'] = serverTiming(result.timings);
  return result.value;
}
