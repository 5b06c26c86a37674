import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';
import type { Call } from '../call.ts';

export const json = 'application/json; charset=utf-8';
export const graphqlJson = 'application/graphql-response+json; charset=utf-8';
export const eventStream = 'text/event-stream';
// The boundaries are those that Apollo and meros expect. The last parameter names the format of the payloads.
const deferred2022 = 'multipart/mixed; boundary="-"; deferSpec=20220824';
/** `@defer` in the format of graphql 17: https://specs.apollo.dev/incremental/v0.2/ */
export const deferredV02 = 'multipart/mixed; boundary="-"; incrementalSpec=v0.2';
/** Apollo's multipart protocol for subscriptions. */
export const multipartSubscription = 'multipart/mixed; boundary="graphql"; subscriptionSpec=1.0';

/** How an answer can be sent: in one piece, in parts (`@defer`), or as events (subscriptions). */
export type Shape = 'whole' | 'deferred' | 'subscription';

/** The media types of each shape for an `Accept` header. The older format of `@defer` is the default: most clients know no other. */
const offers: Readonly<Record<Shape, (accept: string) => readonly string[]>> = {
  whole: () => [json, graphqlJson, eventStream],
  deferred: (accept) => [
    acceptsFormat(accept, 'incrementalspec=v0.2') ? deferredV02 : deferred2022,
    eventStream,
  ],
  subscription: (accept) =>
    acceptsFormat(accept, 'subscriptionspec=1.0')
      ? [eventStream, multipartSubscription]
      : [eventStream],
};

type Negotiation = Readonly<Record<Shape, string | undefined>>;

/** The results by `Accept` header, of which clients send but a few. Longer headers are not cached, so that they cannot fill the memory. */
const negotiations = new LRUCache<string, Negotiation>({ max: 100 });
const maxCachedLength = 200;

/** The media type to answer in, by what the client accepts; undefined when it accepts none that could carry the answer. */
export function negotiated(shape: Shape, { request }: Call): string | undefined {
  return negotiation(request.headers.accept)[shape];
}

/** Whether there is any answer that the client would read. */
export function canAnswer({ request }: Call): boolean {
  return Object.values(negotiation(request.headers.accept)).some((media) => media !== undefined);
}

function negotiation(accept = '*/*'): Negotiation {
  const known = negotiations.get(accept);
  if (known) return known;
  const found = {
    whole: best('whole', accept),
    deferred: best('deferred', accept),
    subscription: best('subscription', accept),
  };
  if (accept.length <= maxCachedLength) negotiations.set(accept, found);
  return found;
}

function best(shape: Shape, accept: string): string | undefined {
  // Parameters other than q say how the client reads, not what it takes.
  const headers = { accept: accept.replace(/;(?!\s*q=)[^;,]*/gi, '') };
  const offered = offers[shape](accept);
  const plain = offered.map((media) => media.split(';', 1)[0] ?? '');
  const [first = ''] = new Negotiator({ headers }).mediaTypes(plain);
  return offered[plain.indexOf(first)];
}

/** Whether a range for `multipart/mixed` has this parameter, in lower case. Clients send its value with or without quotes. */
function acceptsFormat(accept: string, format: string): boolean {
  return accept.split(',').some((range) => {
    const [type, ...parameters] = range
      .split(';')
      .map((part) => part.replaceAll('"', '').trim().toLowerCase());
    return (
      type === 'multipart/mixed' &&
      parameters.includes(format) &&
      !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))
    );
  });
}
