import type { Cost } from '../accounts/credits.ts';
import type { Call, Reply } from './call.ts';
import type { RenderedError } from './graphql-errors.ts';
import { eventStream, graphqlJson, json, negotiated } from './media-types.ts';

/** A result on its way out, errors rendered. */
export interface Result {
  readonly data?: unknown;
  readonly errors?: readonly RenderedError[];
  readonly hasNext?: boolean;
}

/** A result in one piece, and its JSON; `status` is for one of which nothing ran. */
export function wholeReply(result: Result, text: string, status: number, call: Call): Reply {
  const media = negotiated('whole', call);
  // Who reads events finds errors in an event, too: to such a client any other body is a broken stream.
  if (media === eventStream && !alwaysAsStatus.has(status)) return streamedReply(only(text), eventStream);
  // GraphQL over HTTP: under application/json even a document that does not parse is a well-formed answer.
  const wellFormed = media !== graphqlJson && (status === 400 || status === 200);
  if (result.data !== undefined) return jsonResult(text, 200, call);
  const reply = jsonResult(text, wellFormed ? 200 : status, call);
  const retryAfter = result.errors?.[0]?.extensions.retryAfter;
  return retryAfter === undefined ? reply : { ...reply, headers: { ...reply.headers, 'retry-after': String(retryAfter) } };
}

/** What the HTTP status must say whatever the client reads: then nothing has run. */
const alwaysAsStatus = new Set([401, 402, 403, 429, 503]);

/** A result, by its JSON. A request that never reached GraphQL is answered so, whatever the client would rather read. */
export function jsonResult(text: string, status: number, call: Call): Reply {
  const media = negotiated('whole', call) === graphqlJson ? graphqlJson : json;
  // To others who ask for the same URL the answer may be another, or a page.
  const kept = call.method === 'GET' ? { 'cache-control': 'private, no-cache', vary: 'Accept' } : {};
  return { status, headers: { 'content-type': media, ...kept }, body: text };
}

/** The JSON of a result, which is never empty, with what it cost. */
export function costed(text: string, cost: Cost | undefined): string {
  return cost ? `${text.slice(0, -1)},"extensions":${JSON.stringify({ cost })}}` : text;
}

/** A result that comes bit by bit, each as JSON. */
export function streamedReply(results: AsyncGenerator<string, void, void>, media: string): Reply {
  const headers = { 'content-type': media, 'cache-control': 'no-store', 'x-accel-buffering': 'no' };
  return { status: 200, headers, body: media === eventStream ? asEvents(results) : asParts(results) };
}

async function* only(text: string): AsyncGenerator<string, void, void> {
  yield text;
}

/** graphql-sse, "distinct connections mode"; a comment now and then keeps proxies from closing a quiet stream. */
async function* asEvents(results: AsyncGenerator<string, void, void>): AsyncGenerator<string, void, void> {
  const quiet = quietly(quietMs);
  try {
    for (let next = results.next(); ;) {
      const step = await quiet.or(next);
      if (!step) yield ':\n\n';
      else if (step.done) break;
      else {
        yield `event: next\ndata: ${step.value}\n\n`;
        next = results.next();
      }
    }
    yield 'event: complete\ndata:\n\n';
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

/** Incremental delivery over HTTP: each part ends with the boundary of the next, so that nobody waits to see a part whole. */
async function* asParts(results: AsyncGenerator<string, void, void>): AsyncGenerator<string, void, void> {
  yield '---';
  for await (const result of results) yield `\r\nContent-Type: ${json}\r\n\r\n${result}\r\n---`;
  yield '--\r\n';
}
