import type { Dispatcher } from 'undici';
import type { Clock } from '../clock.ts';
import { Problem, type ProblemCode } from '../domain/problems.ts';
import type { BeforeRedirect } from '../domain/source.ts';
import { connectionFailure } from './connect-errors.ts';
import { decodeBody, UnreadableBodyError } from './encodings.ts';
import { exchange, TimeoutError, type RawRequest, type RawResponse } from './exchange.ts';
import { ProxyError } from './dispatcher.ts';
import { ForbiddenAddressError } from './public-address.ts';

/**
 * An HTTP response after redirects. The body of a 200 or 404 is complete. A 400, 401, 403 or 422 has
 * the start of its body, which may state a limit. It is empty for any other status.
 */
export interface RegistryResponse extends Pick<
  RawResponse,
  'status' | 'header' | 'isDelimited' | 'body'
> {
  /** Lower case, without parameters or spaces; empty when absent. */
  readonly mediaType: string;
  /** The URL after the last redirect. */
  readonly url: URL;
  /** In seconds. */
  readonly retryAfter: number | undefined;
  /**
   * How long intermediate caches have held the response, in seconds; Infinity if a header is
   * invalid.
   */
  readonly ageSeconds: number;
  /** As `ageSeconds`, by a valid `Age` only: a `Date` may be that of a wrong clock. */
  readonly heldSeconds: number;
}

/**
 * A request without a usable response. `refused`: the response, a redirect or the address is not
 * accepted.
 */
export interface RequestFailure {
  readonly problem: Problem;
  readonly failure: 'down' | 'timeout' | 'refused';
}

type Headers = Readonly<Record<string, string>>;

interface GetOptions {
  /** Called before a redirect is followed; a problem that it returns ends the request. */
  readonly beforeRedirect?: BeforeRedirect | undefined;
  /** Called if the response may belong to another request, possibly after it was returned. */
  readonly onMismatch?: () => void;
}

export interface HttpClient {
  /**
   * Sends a GET request and follows redirects. The time limit applies to all hops together. Never
   * rejects.
   */
  get(
    url: string,
    headers: Headers,
    timeoutMs: number,
    options?: GetOptions,
  ): Promise<RegistryResponse | RequestFailure>;
}

/** Returns the dispatcher for a URL; undefined if the URL is not allowed. */
export type Route = (url: URL) => Pick<Dispatcher, 'dispatch'> | undefined;

export interface HttpClientOptions {
  /** Called at every hop. */
  readonly route: Route;
  readonly userAgent: string;
  readonly clock: Clock;
  /** Defaults to `receive`. */
  readonly receive?: Receive;
}

/** Sends a request and returns its response. Rejects like `exchange`. */
export type Receive = (request: RawRequest) => Promise<RawResponse>;

/**
 * Returns the response to a request, with its body decoded. Rejects like `exchange`, and with an
 * `UnreadableBodyError`.
 */
export async function receive(request: RawRequest): Promise<RawResponse> {
  const response = await exchange(request);
  const encoding = response.header('content-encoding');
  if (encoding === undefined) return response;

  try {
    return { ...response, body: await decodeBody(response.body, encoding) };
  } catch (error) {
    // The start of the body of a rejection is not always complete.
    if (response.status === 200 || response.status === 404) throw error;
    return { ...response, body: new Uint8Array() };
  }
}

const maxRedirects = 5;
/** The statuses with a `Location` to follow (RFC 9110 section 15.4). */
export const redirectStatuses = new Set([301, 302, 303, 307, 308]);

/** Creates a client that follows redirects itself (RFC 7480 section 5.2), to check each hop. */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  return {
    async get(url, headers, timeoutMs, getOptions = {}) {
      try {
        return await followRedirects(options, new URL(url), headers, timeoutMs, getOptions);
      } catch (error) {
        return failureOf(error, new URL(url), timeoutMs);
      }
    },
  };
}

async function followRedirects(
  options: HttpClientOptions,
  start: URL,
  headers: Headers,
  timeoutMs: number,
  getOptions: GetOptions,
): Promise<RegistryResponse> {
  const { beforeRedirect = async () => undefined, onMismatch } = getOptions;
  const { clock, userAgent, receive: receiveResponse = receive } = options;
  const startedAt = clock.elapsed();
  const remainingMs = () => Math.ceil(Math.max(timeoutMs - (clock.elapsed() - startedAt), 0));
  const visited = new Set<string>();
  let url = start;
  while (visited.size <= maxRedirects) {
    if (visited.has(url.href)) throw new RefusedError('redirects in a loop');
    const dispatcher = dispatcherFor(options, url);
    const problem =
      url === start
        ? undefined
        : await beforeRedirect(
            url,
            clock.now() + remainingMs(),
            AbortSignal.timeout(remainingMs()),
          );
    if (problem) throw problem;
    visited.add(url.href);
    const requestHeaders = { 'user-agent': userAgent, 'accept-encoding': 'gzip', ...headers };
    const response = await receiveResponse({
      dispatcher,
      url,
      headers: requestHeaders,
      timeoutMs: remainingMs(),
      onMismatch,
    });
    const location = redirectStatuses.has(response.status)
      ? response.header('location')
      : undefined;
    if (location === undefined) return toRegistryResponse(response, url, clock.now());
    url = nextHop(url, location);
  }
  throw new RefusedError(`redirects more than ${maxRedirects} times`);
}

function nextHop(from: URL, location: string): URL {
  if (!URL.canParse(location, from.href)) throw new RefusedError('redirects to an invalid URL');
  const to = new URL(location, from);
  // A request over TLS must not be answered over plain HTTP, not even in the operator's own
  // network.
  if (from.protocol === 'https:' && to.protocol !== 'https:')
    throw new RefusedError('redirects from https: to another scheme');
  to.hash = '';
  return to;
}

function dispatcherFor({ route }: HttpClientOptions, url: URL): Pick<Dispatcher, 'dispatch'> {
  const dispatcher = url.username || url.password ? undefined : route(url);
  if (!dispatcher) throw new RefusedError('is, or redirects to, an address that is not allowed');
  return dispatcher;
}

function toRegistryResponse(
  { status, header, headerLines, isDelimited, body }: RawResponse,
  url: URL,
  now: number,
): RegistryResponse {
  const mediaType =
    (header('content-type') ?? '').split(';', 1)[0]?.replaceAll(/\s/g, '').toLowerCase() ?? '';
  const ages = headerLines('age').flatMap((line) => line.split(',').map(secondsOfAge));
  return {
    status,
    mediaType,
    isDelimited,
    body,
    url,
    header,
    retryAfter: retryAfterSeconds(header('retry-after'), now),
    ageSeconds: responseAgeSeconds(ages, headerLines, now),
    heldSeconds: Math.max(0, ...ages.filter(Number.isFinite)),
  };
}

class RefusedError extends Error {}

function failureOf(error: unknown, { host }: URL, timeoutMs: number): RequestFailure {
  if (error instanceof Problem) return { problem: error, failure: 'refused' };
  const failed = (code: ProblemCode, failure: RequestFailure['failure'], text: string) => ({
    problem: new Problem(code, `${host} ${text}.`, { cause: error }),
    failure,
  });
  if (error instanceof RefusedError) return failed('registry_error', 'refused', error.message);
  if (error instanceof UnreadableBodyError)
    return failed('untrusted_answer', 'refused', error.message);
  if (error instanceof ForbiddenAddressError)
    return failed('registry_error', 'refused', 'does not have a public address');
  if (error instanceof ProxyError)
    return failed('registry_error', 'down', `cannot be reached: the proxy ${error.message}`);
  const name = error instanceof Error ? error.name : '';
  if (name === 'ResponseExceededMaxSizeError')
    return failed('untrusted_answer', 'refused', 'sent more than 1 MiB');
  if (error instanceof TimeoutError || name === 'ConnectTimeoutError')
    return failed('registry_timeout', 'timeout', `did not respond within ${timeoutMs} ms`);
  const text = connectionFailure(error) ?? 'could not be reached, or closed the connection';
  return failed('registry_error', 'down', text);
}

const maxRetryAfterSeconds = 3600;
const toleratedSkewSeconds = 5 * 60;

/**
 * Returns the delay of a `Retry-After` value (RFC 9110 section 10.2.3) in seconds, at most 3,600;
 * undefined if it is invalid.
 */
export function retryAfterSeconds(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? '';
  const seconds = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : (httpDate(text) - now) / 1000;
  return Number.isNaN(seconds)
    ? undefined
    : Math.min(Math.max(Math.ceil(seconds), 0), maxRetryAfterSeconds);
}

/**
 * Returns the age of a response in seconds: the maximum of its `Age` values and the age implied by
 * its `Date` (RFC 9111 section 4.2.3). Infinity if an `Age` or `Date` is invalid, and if a `Warning`
 * calls the response stale. A `Date` up to five minutes old may be clock skew and counts as 0.
 */
function responseAgeSeconds(
  ages: readonly number[],
  headerLines: RawResponse['headerLines'],
  now: number,
): number {
  return Math.max(
    headerLines('warning').some((line) => staleWarning.test(line)) ? Infinity : 0,
    ...ages,
    ...headerLines('date').map((value) => secondsSince(value, now)),
  );
}

/**
 * The warn codes of a cache that sends a stale response (RFC 7234 sections 5.5.1 to 5.5.4). RFC 9111
 * has removed them, but caches still send them, some without `Age`.
 */
const staleWarning = /(?:^|,)\s*11[0-3]\b/;

/**
 * RFC 9110 section 5.6.7: all three forms start with the day of the week and mean GMT. `Date.parse`
 * would also accept `-1`.
 */
function httpDate(text: string): number {
  if (!/^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text)) return NaN;
  return Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
}

function secondsOfAge(text: string): number {
  return /^\s*\d+\s*$/.test(text) ? Number(text) : Infinity;
}

function secondsSince(date: string, now: number): number {
  const sentAt = Date.parse(date);
  if (Number.isNaN(sentAt)) return Infinity;
  const seconds = (now - sentAt) / 1000;
  return seconds > toleratedSkewSeconds ? seconds : 0;
}
