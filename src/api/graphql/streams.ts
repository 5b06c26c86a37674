import { Problem } from '../../domain/problems.ts';
import type { DeliveryMode } from '../../execution/operation.ts';
import type { Stream } from '../../execution/result.ts';
import type { NextTurn } from '../../lookup/batch-scheduler.ts';
import type { HttpRequestContext, HttpResponse } from '../../server/http-request-context.ts';
import {
  eventStream,
  json,
  multipartSubscription,
  negotiate,
} from '../../server/messages/media-types.ts';
import { initialCostHeaders } from '../../server/messages/run-response.ts';
import {
  renderError,
  renderResult,
  type ErrorOptions,
  type RawResult,
  type RenderedResult,
} from './errors.ts';
import { responseJson, withCost } from './response-json.ts';

interface StreamedResult {
  readonly json: string;
  /** The id of an event after which a client goes on. */
  readonly id?: string | undefined;
  /** The stream has failed. The result contains only errors, and is the last one. */
  readonly isFatal?: boolean;
}

type StreamedResults = AsyncGenerator<StreamedResult, void, void>;

/** Returns a response that streams results. */
export function respondStreaming(
  stream: Stream,
  delivery: DeliveryMode,
  request: HttpRequestContext,
  options: ErrorOptions,
): HttpResponse {
  const { initialCost } = stream;
  if (initialCost) Object.assign(request.responseHeaders, initialCostHeaders(initialCost));
  const results = resultsOf(stream, delivery, request, options);
  return streamedResponse(results, negotiate(delivery, request) ?? eventStream);
}

async function* resultsOf(
  { parts, nextTurn, cost, eventId }: Stream,
  delivery: DeliveryMode,
  request: HttpRequestContext,
  options: ErrorOptions,
): StreamedResults {
  try {
    for await (const part of parts)
      for await (const { text, isLast } of textsOf(part, request, { ...options, nextTurn }))
        yield {
          json: withCost(text, isLast || delivery === 'subscription' ? await cost() : undefined),
          id: eventId(),
        };
  } catch (error) {
    yield {
      json: JSON.stringify({ errors: [renderError(error, request, options)] }),
      isFatal: true,
    };
  }
}

/**
 * Serializes a part. Splits one in halves if it is too long, because many records arrived together.
 */
async function* textsOf(
  part: RawResult,
  request: HttpRequestContext,
  options: ErrorOptions & { readonly nextTurn: NextTurn },
): AsyncGenerator<{ readonly text: string; readonly isLast: boolean }, void, void> {
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

/** Returns a response that sends each result as soon as it is available, in the given format. */
export function streamedResponse(
  results: StreamedResults,
  mediaType: string,
  framing = framings[mediaType] ?? deferredFraming,
): HttpResponse {
  const headers = {
    'content-type': mediaType,
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  };
  return {
    status: 200,
    headers,
    body: frameResults(results, framing),
  };
}

export async function* singleResult(result: string): StreamedResults {
  yield { json: result };
}

interface Framing {
  readonly opening: string;
  readonly frame: (result: StreamedResult) => string;
  readonly closing: string;
  /** Sent between results, because proxies close idle connections. */
  readonly heartbeat?: string;
}

/** graphql-sse, "distinct connections mode". */
const eventFraming: Framing = {
  opening: '',
  frame: ({ id, json: data }) =>
    `event: next\n${id === undefined ? '' : `id: ${id}\n`}data: ${data}\n\n`,
  closing: 'event: complete\ndata:\n\n',
  heartbeat: ':\n\n',
};

/** Plain events, which a client continues with the header `Last-Event-ID`. */
export const resumableFraming: Framing = {
  ...eventFraming,
  frame: ({ id, json: data }) => `id: ${id}\ndata: ${data}\n\n`,
  closing: '',
};

/** Incremental delivery over HTTP. It has no heartbeat: each part states whether others follow. */
const deferredFraming: Framing = multipartFraming('-', (result) => result.json);

/**
 * Apollo's protocol
 * (https://www.apollographql.com/docs/graphos/routing/operations/subscriptions/multipart-protocol).
 */
const subscriptionFraming: Framing = {
  ...multipartFraming('graphql', ({ json: result, isFatal }) =>
    isFatal ? `{"payload":null,${result.slice(1)}` : `{"payload":${result}}`,
  ),
  heartbeat: multipartPart('graphql', '{}'),
};

const framings: Readonly<Record<string, Framing>> = {
  [eventStream]: eventFraming,
  [multipartSubscription]: subscriptionFraming,
};

function multipartFraming(boundary: string, payload: (result: StreamedResult) => string): Framing {
  return {
    opening: `--${boundary}`,
    frame: (result) => multipartPart(boundary, payload(result)),
    closing: '--\r\n',
  };
}

/** Ends each part with the next boundary, so that clients can process it immediately. */
function multipartPart(boundary: string, body: string): string {
  return `\r\nContent-Type: ${json}\r\n\r\n${body}\r\n--${boundary}`;
}

async function* frameResults(
  results: StreamedResults,
  { opening, frame, closing, heartbeat }: Framing,
): AsyncGenerator<string, void, void> {
  const heartbeatTimer = createHeartbeatTimer(heartbeatIntervalMs);
  try {
    if (opening) yield opening;
    for (let next = results.next(); ;) {
      const step = await heartbeatTimer.race(next);
      if (step?.done) break;
      if (step) {
        yield frame(step.value);
        next = results.next();
      } else if (heartbeat) yield heartbeat;
    }

    yield closing;
  } finally {
    heartbeatTimer.stop();
    await results.return();
  }
}

const heartbeatIntervalMs = 12_000;

/**
 * Races each result against one shared timer. A search sends hundreds of events in a burst, so a
 * timer for each would be slow.
 */
function createHeartbeatTimer(intervalMs: number) {
  let onTick: (() => void) | undefined;
  const timer = setInterval(() => onTick?.(), intervalMs).unref();

  return {
    race: <T>(promise: Promise<T>) =>
      new Promise<T | undefined>((resolve, reject) => {
        onTick = () => resolve(undefined);
        promise.then(resolve, reject);
      }),
    stop: () => clearInterval(timer),
  };
}
