import type { Context } from '../../execution/context.ts';
import type { Execution } from '../../execution/execution.ts';
import type { Rendered, RunResult, Failure } from '../../execution/result.ts';
import { serverTiming } from '../../lookup/lookup-progress.ts';
import type {
  AuthenticatedRequest,
  HttpRequestContext,
  HttpResponse,
} from '../http-request-context.ts';
import { listsTag, matchesIfNoneMatch } from './etag.ts';
import type { Cost } from '../../accounts/account.ts';
import { Problem } from '../../domain/problems.ts';

/** Returns a response, or a 304 if the client's copy is still valid. */
export function respondConditionally(
  response: HttpResponse,
  http: HttpRequestContext,
): Rendered<HttpResponse> {
  const { 'content-type': _ofBody, ...headers } = response.headers;
  if (!isNotModified(headers['etag'], http)) return { value: response };
  return { value: { status: 304, headers }, clientHasIt: clientHas(headers['etag'], http) };
}

/** Returns whether the response with this tag is a 304. */
export function isNotModified(etag: string | undefined, { request }: HttpRequestContext): boolean {
  return etag !== undefined && matchesIfNoneMatch(request.headers['if-none-match'], etag);
}

/** Returns whether the client has the response with this tag, so that it may be free. */
export function clientHas(etag: string | undefined, { request }: HttpRequestContext): boolean {
  return etag !== undefined && listsTag(request.headers['if-none-match'], etag);
}

/**
 * Returns the value of a run, or throws its error. Adds its cost and timings to the headers of the
 * response.
 */
export function unwrapRun<T>(
  result: RunResult<T>,
  { responseHeaders }: HttpRequestContext,
  names?: ParameterNames,
): T {
  if (result.cost) Object.assign(responseHeaders, costHeaders(result.cost));
  if ('error' in result) throw names ? withParameterNames(result, names) : result.error;
  responseHeaders['server-timing'] = serverTiming(result.timings);
  return result.value;
}

/** Runs an action as an operation without lookups, which has its cost and the balance. */
export async function runAction(
  execution: Execution,
  http: AuthenticatedRequest,
  action: (context: Context) => Promise<Rendered<HttpResponse>>,
): Promise<HttpResponse> {
  const saved = execution.saved('{ __typename }');
  const result = await execution.run(
    saved.coerce({}),
    http,
    { mode: 'streaming' },
    (_executed, context) => action(context),
  );

  return unwrapRun(result, http);
}

/** Returns the cost headers of a buffered response. */
export function costHeaders({
  requested,
  charged,
  refunded,
  remaining,
}: Cost): Record<string, string> {
  return {
    'x-credits-requested': String(requested),
    'x-credits-charged': String(charged),
    'x-credits-refunded': String(refunded),
    'x-credits-remaining': String(remaining),
  };
}

/** Returns the cost headers of a stream, whose final cost is not yet known. */
export function initialCostHeaders({ requested, remaining }: Cost): Record<string, string> {
  return { 'x-credits-requested': String(requested), 'x-credits-remaining': String(remaining) };
}

/** How an endpoint names what its saved operation calls otherwise. */
export interface ParameterNames {
  /** The parameter that contains the names, for the problem of too many names. */
  readonly namesParam: string;
  /** Maps arguments of the operation to parameters, where their names differ. */
  readonly paramNames?: Readonly<Record<string, string>> | undefined;
}

/** Returns the error of a saved operation with the parameters of its endpoint. */
export function withParameterNames(
  { error, isRefused }: Failure,
  { namesParam, paramNames = {} }: ParameterNames,
): unknown {
  if (!(error instanceof Problem)) return error;

  const { code, message, param, cause, credits, retryAfter } = error;
  if (isRefused)
    return code === 'too_many_lookups' ? new Problem(code, message, { param: namesParam }) : error;

  const renamed = param === undefined ? undefined : paramNames[param];
  if (renamed === undefined) return error;

  return new Problem(code, message, {
    cause,
    param: renamed,
    credits,
    retryAfter,
  });
}
