import type { Reply } from '../call.ts';
import { eventStream, json, multipartSubscription } from '../request/media-types.ts';

/** A result of a stream, as JSON. */
export interface StreamedResult {
  readonly json: string;
  /** The stream has failed: the result holds nothing but errors, and is the last. */
  readonly isFatal?: boolean;
}

type Results = AsyncGenerator<StreamedResult, void, void>;

/** Returns a response that sends each result as soon as it is there, in the format of the media type. */
export function streamedReply(results: Results, media: string): Reply {
  const headers = { 'content-type': media, 'cache-control': 'no-store', 'x-accel-buffering': 'no' };
  return { status: 200, headers, body: framed(results, framings[media] ?? deferredParts) };
}

/** Returns a stream of one result. */
export async function* only(result: string): Results {
  yield { json: result };
}

/** How a media type writes a stream of results. */
interface Framing {
  readonly opening: string;
  readonly frame: (result: StreamedResult) => string;
  readonly closing: string;
  /** Sent while there is no result: proxies close connections on which nothing is sent. */
  readonly heartbeat?: string;
}

/** graphql-sse, "distinct connections mode". */
const events: Framing = {
  opening: '',
  frame: (result) => `event: next\ndata: ${result.json}\n\n`,
  closing: 'event: complete\ndata:\n\n',
  heartbeat: ':\n\n',
};

/** Incremental delivery over HTTP, whose formats have no heartbeat: each payload must say whether others follow. */
const deferredParts: Framing = multipart('-', (result) => result.json);

/** Apollo's protocol (https://www.apollographql.com/docs/graphos/routing/operations/subscriptions/multipart-protocol). */
const subscriptionParts: Framing = {
  ...multipart('graphql', ({ json: result, isFatal }) =>
    isFatal ? `{"payload":null,${result.slice(1)}` : `{"payload":${result}}`,
  ),
  heartbeat: partOf('graphql', '{}'),
};

const framings: Readonly<Record<string, Framing>> = {
  [eventStream]: events,
  [multipartSubscription]: subscriptionParts,
};

function multipart(boundary: string, payload: (result: StreamedResult) => string): Framing {
  return {
    opening: `--${boundary}`,
    frame: (result) => partOf(boundary, payload(result)),
    closing: '--\r\n',
  };
}

/** A part ends with the boundary of the next, so that clients need not wait for that to read it. */
function partOf(boundary: string, body: string): string {
  return `\r\nContent-Type: ${json}\r\n\r\n${body}\r\n--${boundary}`;
}

async function* framed(
  results: Results,
  { opening, frame, closing, heartbeat }: Framing,
): AsyncGenerator<string, void, void> {
  const quiet = quietly(quietMs);
  try {
    if (opening) yield opening;
    for (let next = results.next(); ;) {
      const step = await quiet.or(next);
      if (step?.done) break;
      if (step) {
        yield frame(step.value);
        next = results.next();
      } else if (heartbeat) yield heartbeat;
    }
    yield closing;
  } finally {
    quiet.end();
    await results.return();
  }
}

const quietMs = 12_000;

/** Ends a wait, again and again. One timer for all waits: a search sends hundreds of events at once. */
function quietly(everyMs: number) {
  let wake: (() => void) | undefined;
  const timer = setInterval(() => wake?.(), everyMs).unref();
  return {
    or: <T>(work: Promise<T>) =>
      new Promise<T | undefined>((resolve, reject) => {
        wake = () => resolve(undefined);
        work.then(resolve, reject);
      }),
    end: () => clearInterval(timer),
  };
}
