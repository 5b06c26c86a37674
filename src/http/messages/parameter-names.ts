import type { Failure } from '../../execution/result.ts';
import { Problem } from '../../domain/problems.ts';

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
    ...(credits && { credits }),
    ...(retryAfter !== undefined && { retryAfter }),
  });
}
