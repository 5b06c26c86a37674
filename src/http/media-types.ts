import Negotiator from 'negotiator';
import type { Call } from './call.ts';

export const json = 'application/json; charset=utf-8';
export const graphqlJson = 'application/graphql-response+json; charset=utf-8';
export const eventStream = 'text/event-stream';
// The boundary is what Apollo and meros expect; deferSpec names the format of the incremental payloads.
const multipart = 'multipart/mixed; boundary="-"; deferSpec=20220824';

/** How an answer can be sent: in one piece, in parts (`@defer`), or as events (subscriptions). */
const offers = { whole: [json, graphqlJson, eventStream], deferred: [multipart, eventStream], subscription: [eventStream] } as const;

export type Shape = keyof typeof offers;

type Negotiation = Readonly<Record<Shape, string | undefined>>;

/** What came of it for each `Accept`: clients send but a few, every time. */
const negotiations = new Map<string, Negotiation>();
const mostRemembered = 100;
const longestRemembered = 200;

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
  const found = { whole: best('whole', accept), deferred: best('deferred', accept), subscription: best('subscription', accept) };
  if (negotiations.size >= mostRemembered) negotiations.clear();
  if (accept.length <= longestRemembered) negotiations.set(accept, found);
  return found;
}

function best(shape: Shape, accept: string): string | undefined {
  // Parameters other than q say how the client reads, not what it takes.
  const headers = { accept: accept.replace(/;(?!\s*q=)[^;,]*/gi, '') };
  const plain = offers[shape].map((media) => media.split(';', 1)[0] ?? '');
  const [first = ''] = new Negotiator({ headers }).mediaTypes(plain);
  return offers[shape][plain.indexOf(first)];
}
