import type { Clock } from '../../clock.ts';
import type { Context } from '../../execution/context.ts';
import type { FieldLookup } from '../../lookup/lookup-plan.ts';
import type { NextTurn } from '../../lookup/batch-scheduler.ts';
import { Problem, problems } from '../../domain/problems.ts';
import type { EtagFactory } from '../messages/etag.ts';
import type {
  AuthenticatedRequest,
  HttpRequestContext,
  HttpResponse,
} from '../http-request-context.ts';
import { completeResponse, type Completion } from '../messages/complete-response.ts';
import { initialCostHeaders } from '../messages/credit-headers.ts';
import { maxReportedErrors } from '../../execution/document-cache.ts';
import { cachingHeaders } from './caching.ts';
import { renderError, type ErrorOptions } from './errors.ts';
import {
  withCost,
  notModifiedResponse,
  bufferedResponse,
  type CachingHeaders,
  type RenderedResult,
} from './response.ts';
import { streamedResponse, type StreamedResult } from './streams.ts';
import { eventStream, negotiate, type Delivery } from '../messages/media-types.ts';
import type { Operation } from '../../execution/operation.ts';
import { withRefundOnError } from '../messages/refund-on-error.ts';
import { responseJson } from './response-json.ts';

/** A result from the executor, or a part of one. */
export interface RawResult {
  readonly data?: unknown;
  readonly errors?: readonly unknown[] | undefined;
  readonly hasNext?: boolean;
  readonly incremental?: readonly RawResult[];
  /** In the newer format of `@defer`: the completed fragments, with the errors of failed ones. */
  readonly completed?: readonly RawResult[];
}

/** The operation that produced a result. Without a context, nothing was executed. */
export interface Execution {
  delivery: Delivery;
  context?: Context;
  operation?: Operation;
  lookups?: readonly FieldLookup[];
}

export interface ResultOptions extends ErrorOptions {
  readonly etagOf: EtagFactory;
  readonly clock: Clock;
}

/** Charges for a buffered result. Returns a 304, free if no registry was queried, or the result. */
export async function respondBuffered(
  raw: RawResult,
  execution: Execution,
  request: AuthenticatedRequest,
  options: ResultOptions,
): Promise<HttpResponse> {
  const { context } = execution;
  const result = renderResult(raw, request, options);
  // Serialized before it is charged, because it may exceed the maximum length.
  const text = await withRefundOnError(context?.meter, request, async () => {
    context?.lookup.objectValues.check();
    return responseJson(result, nextTurnOf(context));
  });
  const caching = cachingOf(result, text, execution, request, options);
  const { isNotModified, cost } = context
    ? await completeResponse(caching?.etag, context, request)
    : notExecuted;
  if (caching && isNotModified) return notModifiedResponse(caching);
  const code = result.errors?.[0]?.extensions.code;
  const response = bufferedResponse(
    result,
    withCost(text, cost),
    code === undefined ? 200 : problems[code].status,
    request,
    caching,
  );
  return code === undefined ? response : { ...response, code };
}

const notExecuted: Completion = { isNotModified: false, cost: undefined };

/** Returns the caching headers of a result, or undefined if it must not be cached. */
function cachingOf(
  { errors }: RenderedResult,
  text: string,
  { context, operation, lookups }: Execution,
  request: AuthenticatedRequest,
  { etagOf, clock }: ResultOptions,
): CachingHeaders | undefined {
  if (
    request.method !== 'GET' ||
    errors ||
    !context ||
    !operation ||
    !lookups ||
    negotiate('buffered', request) === eventStream
  )
    return undefined;
  return cachingHeaders(
    { text, operation, lookups, outcomes: context.lookup.outcomes, payerId: request.payer?.id },
    etagOf,
    clock.now(),
  );
}

/** Returns a response that streams results. Credits are settled before the last part is sent. */
export async function respondStreaming(
  raw: AsyncIterable<RawResult>,
  { delivery, context }: Execution,
  request: HttpRequestContext,
  options: ResultOptions,
): Promise<HttpResponse> {
  const meter = context?.meter;
  const nextTurn = nextTurnOf(context);
  if (meter) Object.assign(request.responseHeaders, initialCostHeaders(await meter.currentCost()));
  async function* results(): AsyncGenerator<StreamedResult, void, void> {
    try {
      for await (const part of raw) {
        context?.lookup.objectValues.check();
        for await (const { text, isLast } of textsOf(part, request, { ...options, nextTurn })) {
          const cost = isLast
            ? await meter?.settle('completed')
            : delivery === 'subscription'
              ? await meter?.currentCost()
              : undefined;
          yield { json: withCost(text, cost) };
        }
      }
      await meter?.settle('completed');
    } catch (error) {
      yield {
        json: JSON.stringify({ errors: [renderError(error, request, options)] }),
        isFatal: true,
      };
    }
  }
  return streamedResponse(results(), negotiate(delivery, request) ?? eventStream);
}

/** A result without a context contains only errors, which are short. */
function nextTurnOf(context: Context | undefined): NextTurn {
  return context?.nextTurn ?? (() => undefined);
}

interface PartOptions extends ErrorOptions {
  readonly nextTurn: NextTurn;
}

interface PartText {
  readonly text: string;
  readonly isLast: boolean;
}

/**
 * Serializes a part. Splits one in halves if it is too long, because many records arrived together.
 */
async function* textsOf(
  part: RawResult,
  request: HttpRequestContext,
  options: PartOptions,
): AsyncGenerator<PartText, void, void> {
  const { incremental = [], completed, hasNext, ...rest } = part;
  const half = Math.ceil(incremental.length / 2);
  const text = await jsonUnlessTooLong(
    renderResult(part, request, options),
    half < incremental.length,
    options.nextTurn,
  );
  if (text !== undefined) return yield { text, isLast: hasNext === false };
  yield* textsOf(
    { ...rest, incremental: incremental.slice(0, half), hasNext: true },
    request,
    options,
  );
  yield* textsOf(
    {
      incremental: incremental.slice(half),
      ...(completed && { completed }),
      ...(hasNext !== undefined && { hasNext }),
    },
    request,
    options,
  );
}

/** Returns undefined for a long result that can be split. Throws `query_too_large` for others. */
async function jsonUnlessTooLong(
  result: RenderedResult,
  canBeSplit: boolean,
  nextTurn: NextTurn,
): Promise<string | undefined> {
  try {
    return await responseJson(result, nextTurn);
  } catch (error) {
    if (canBeSplit && error instanceof Problem && error.code === 'query_too_large')
      return undefined;
    throw error;
  }
}

function renderResult(
  { errors, incremental, completed, ...rest }: RawResult,
  request: HttpRequestContext,
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
