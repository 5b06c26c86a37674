import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';
import type { DeliveryMode } from '../../execution/operation.ts';
import type { HttpRequestContext } from '../http-request-context.ts';

export const json = 'application/json; charset=utf-8';
export const graphqlJson = 'application/graphql-response+json; charset=utf-8';
export const eventStream = 'text/event-stream';
// Apollo and meros expect these boundaries. The last parameter names the payload format.
const deferred2022 = 'multipart/mixed; boundary="-"; deferSpec=20220824';
/** `@defer` in the format of graphql 17: https://specs.apollo.dev/incremental/v0.2/ */
export const deferredV02 = 'multipart/mixed; boundary="-"; incrementalSpec=v0.2';
/** Apollo's multipart protocol for subscriptions. */
export const multipartSubscription = 'multipart/mixed; boundary="graphql"; subscriptionSpec=1.0';

/**
 * The media types of each delivery for an `Accept` header. The older format of `@defer` is the
 * default, because most clients support no other.
 */
const offers: Readonly<Record<DeliveryMode, (acceptHeader: string) => readonly string[]>> = {
  buffered: () => [json, graphqlJson, eventStream],
  deferred: (accept) => [
    acceptsFormat(accept, 'incrementalspec=v0.2') ? deferredV02 : deferred2022,
    eventStream,
  ],
  subscription: (accept) =>
    acceptsFormat(accept, 'subscriptionspec=1.0')
      ? [eventStream, multipartSubscription]
      : [eventStream],
};

/** What an `Accept` header must name for each delivery, as a text. */
export const acceptedTypes: Readonly<Record<DeliveryMode, string>> = {
  buffered: 'application/json, application/graphql-response+json or text/event-stream',
  deferred: 'multipart/mixed or text/event-stream',
  subscription: 'text/event-stream or multipart/mixed; subscriptionSpec=1.0',
};

type Negotiation = Readonly<Record<DeliveryMode, string | undefined>>;

/**
 * Results by `Accept` header; clients send few different ones. Longer headers are not cached, so
 * the memory is bounded.
 */
const negotiationCache = new LRUCache<string, Negotiation>({ max: 100 });
const maxCachedLength = 200;

/** Returns the best media type for a delivery that the client accepts, or undefined. */
export function negotiate(
  delivery: DeliveryMode,
  { request }: HttpRequestContext,
): string | undefined {
  return negotiateAll(request.headers.accept)[delivery];
}

/** Returns whether the client accepts a media type of any delivery. */
export function acceptsAnyResponse({ request }: HttpRequestContext): boolean {
  return Object.values(negotiateAll(request.headers.accept)).some(
    (mediaType) => mediaType !== undefined,
  );
}

function negotiateAll(accept = '*/*'): Negotiation {
  const cached = negotiationCache.get(accept);
  if (cached) return cached;

  const result = {
    buffered: bestMediaType('buffered', accept),
    deferred: bestMediaType('deferred', accept),
    subscription: bestMediaType('subscription', accept),
  };
  if (accept.length <= maxCachedLength) negotiationCache.set(accept, result);

  return result;
}

function bestMediaType(delivery: DeliveryMode, accept: string): string | undefined {
  const offered = offers[delivery](accept);
  const bareTypes = offered.map((media) => media.split(';', 1)[0] ?? '');
  return offered[bareTypes.indexOf(firstAccepted(bareTypes, accept) ?? '')];
}

/**
 * Returns the media type that the client prefers: the first one if it prefers none, and also if it
 * accepts none (RFC 9110 section 12.4.1 allows that).
 */
export function preferredMediaType(
  offered: readonly [string, ...string[]],
  { request }: HttpRequestContext,
): string {
  return firstAccepted(offered, request.headers.accept ?? '*/*') ?? offered[0];
}

export function acceptsOneOf(
  mediaTypes: readonly string[],
  { request }: HttpRequestContext,
): boolean {
  return firstAccepted(mediaTypes, request.headers.accept ?? '*/*') !== undefined;
}

function firstAccepted(offered: readonly string[], accept: string): string | undefined {
  if (accept === '*/*') return offered[0];
  // Parameters other than q select a payload format, not a media type.
  const headers = { accept: accept.replace(/;(?!\s*q=)[^;,]*/gi, '') };
  return new Negotiator({ headers }).mediaTypes([...offered])[0];
}

/**
 * Returns whether a media range for `multipart/mixed` has a parameter, given in lower case. Clients
 * send its value with or without quotes.
 */
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

/**
 * Returns the languages that a request prefers to what a registry sends without any. Undefined for
 * English, which registries send without any, so that most browsers get answers of the cache.
 */
export function languagesOf({ request }: HttpRequestContext): string | undefined {
  const sent = request.headers['accept-language'] ?? '';
  const [first = '*'] = new Negotiator(request).languages();
  return /^(?:\*|en\b)/i.test(first) || !/^[\w*,;=. -]{1,100}$/.test(sent) ? undefined : sent;
}
