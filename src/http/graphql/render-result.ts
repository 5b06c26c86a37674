import type { LoggedRequest } from '../http-request-context.ts';
import { maxReportedErrors } from '../../execution/sent-document.ts';
import { renderError, type ErrorOptions } from './errors.ts';
import type { RenderedResult } from './response.ts';

/** A result of an operation, or a part of one. */
export interface RawResult {
  readonly data?: unknown;
  readonly errors?: readonly unknown[] | undefined;
  readonly hasNext?: boolean;
  readonly incremental?: readonly RawResult[];
  /** In the newer format of `@defer`: the completed fragments, with the errors of failed ones. */
  readonly completed?: readonly RawResult[];
}

/** Renders the errors of a result. */
export function renderResult(
  { errors, incremental, completed, ...rest }: RawResult,
  request: LoggedRequest,
  options: ErrorOptions,
): RenderedResult {
  const renderAll = (parts: readonly RawResult[]) =>
    parts.map((part) => renderResult(part, request, options));
  return {
    ...rest,
    ...(errors && {
      errors: errors
        .slice(0, maxReportedErrors)
        .map((error) => renderError(error, request, options)),
    }),
    ...(incremental && { incremental: renderAll(incremental) }),
    ...(completed && { completed: renderAll(completed) }),
  };
}
