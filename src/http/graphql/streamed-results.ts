import { Problem } from '../../domain/problems.ts';
import type { Stream } from '../../execution/result.ts';
import type { NextTurn } from '../../lookup/batch-scheduler.ts';
import type { Delivery } from '../../execution/operation.ts';
import type { HttpRequestContext, HttpResponse } from '../http-request-context.ts';
import { initialCostHeaders } from '../messages/run-response.ts';
import { eventStream, negotiate } from '../messages/media-types.ts';
import { renderError, type ErrorOptions } from './errors.ts';
import { renderResult, type RawResult } from './render-result.ts';
import { responseJson } from './response-json.ts';
import { withCost, type RenderedResult } from './response.ts';
import { streamedResponse, type StreamedResult } from './streams.ts';

/** Returns a response that streams results. */
export function respondStreaming(
  stream: Stream,
  delivery: Delivery,
  request: HttpRequestContext,
  options: ErrorOptions,
): HttpResponse {
  const { initialCost } = stream;
  if (initialCost) Object.assign(request.responseHeaders, initialCostHeaders(initialCost));
  const results = resultsOf(stream, delivery, request, options);
  return streamedResponse(results, negotiate(delivery, request) ?? eventStream);
}

async function* resultsOf(
  { parts, nextTurn, cost }: Stream,
  delivery: Delivery,
  request: HttpRequestContext,
  options: ErrorOptions,
): AsyncGenerator<StreamedResult, void, void> {
  try {
    for await (const part of parts)
      for await (const { text, isLast } of textsOf(part, request, { ...options, nextTurn }))
        yield {
          json: withCost(text, isLast || delivery === 'subscription' ? await cost() : undefined),
        };
  } catch (error) {
    yield {
      json: JSON.stringify({ errors: [renderError(error, request, options)] }),
      isFatal: true,
    };
  }
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
