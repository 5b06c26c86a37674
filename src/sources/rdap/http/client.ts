import type { Dispatcher } from 'undici';
import type { Clock } from '../../../clock.ts';
import type { BeforeRedirect } from '../../../domain/source.ts';
import { Problem } from '../../../domain/problems.ts';
import { ForbiddenAddressError } from './dispatcher.ts';
import { decoded, UnreadableBodyError } from './encodings.ts';
import { exchange, TimeoutError, type Received } from './exchange.ts';
import { responseAge, retryAfterSeconds } from './response-headers.ts';

/** One HTTP answer, after redirects, read whole. */
export interface Reply {
  readonly status: number;
  /** Lower case, without parameters or spaces; empty when absent. */
  readonly mediaType: string;
  readonly body: Uint8Array;
  /** The end of the body was marked, so that a body cut off on the way would have shown. */
  readonly delimited: boolean;
  /** The URL that answered in the end. */
  readonly url: URL;
  readonly header: (name: string) => string | undefined;
  readonly retryAfter: number | undefined;
  /** How long caches on the way have held it, in seconds; Infinity where that cannot be read. */
  readonly age: number;
}

/** Why no answer came: the problem to show, and whether the host is down, too slow, or simply not to be followed. */
export interface Failure {
  readonly problem: Problem;
  readonly failure: 'down' | 'timeout' | 'refused';
}

type Headers = Readonly<Record<string, string>>;

interface GetOptions {
  /** Without it, redirects are followed at once. */
  readonly beforeRedirect?: BeforeRedirect | undefined;
  /** Called when the response turns out to be the response to another request, possibly after it was returned. */
  readonly onDisowned?: () => void;
}

export interface Client {
  /** Asks for leave before it follows a redirect; the time limit holds for everything together. Never rejects. */
  get(
    url: string,
    headers: Headers,
    timeoutMs: number,
    options?: GetOptions,
  ): Promise<Reply | Failure>;
}

export interface ClientOptions {
  /** The way to a URL, asked at every hop; undefined for one that must not be asked. */
  readonly route: (url: URL) => Pick<Dispatcher, 'dispatch'> | undefined;
  readonly userAgent: string;
  readonly clock: Clock;
}

const mostRedirects = 5;
const redirectStatuses = new Set([301, 302, 303, 307, 308]);

/** Asks over HTTPS, follows redirects by hand (RFC 7480 section 5.2), and gives up at the deadline. */
export function createClient(options: ClientOptions): Client {
  return {
    async get(url, headers, timeoutMs, get = {}) {
      try {
        return await follow(options, new URL(url), headers, timeoutMs, get);
      } catch (error) {
        return failureOf(error, new URL(url), timeoutMs);
      }
    },
  };
}

async function follow(
  options: ClientOptions,
  start: URL,
  headers: Headers,
  timeoutMs: number,
  get: GetOptions,
): Promise<Reply> {
  const { beforeRedirect = async () => undefined, onDisowned } = get;
  const { clock, userAgent } = options;
  const startedAt = clock.elapsed();
  const leftMs = () => Math.ceil(Math.max(timeoutMs - (clock.elapsed() - startedAt), 0));
  const visited = new Set<string>();
  let url = start;
  while (visited.size <= mostRedirects) {
    if (visited.has(url.href)) throw new RefusedError('redirects in a loop');
    const dispatcher = dispatcherFor(options, url);
    const refusal =
      url === start
        ? undefined
        : await beforeRedirect(url, clock.now() + leftMs(), AbortSignal.timeout(leftMs()));
    if (refusal) throw refusal;
    visited.add(url.href);
    const sent = { 'user-agent': userAgent, 'accept-encoding': 'gzip', ...headers };
    const received = await exchange({
      dispatcher,
      url,
      headers: sent,
      timeoutMs: leftMs(),
      onDisowned,
    });
    const location = redirectStatuses.has(received.status)
      ? received.header('location')
      : undefined;
    if (location === undefined) return replyOf(received, url, clock.now());
    url = nextHop(url, location);
  }
  throw new RefusedError(`redirects more than ${mostRedirects} times`);
}

function nextHop(from: URL, location: string): URL {
  if (!URL.canParse(location, from.href))
    throw new RefusedError('redirects to something that is no URL');
  const to = new URL(location, from);
  // Whoever was asked over TLS must not be answered for by whoever sits on the wire, in an operator's own network either.
  if (from.protocol === 'https:' && to.protocol !== 'https:')
    throw new RefusedError('redirects from https: to something less');
  to.hash = '';
  return to;
}

function dispatcherFor({ route }: ClientOptions, url: URL): Pick<Dispatcher, 'dispatch'> {
  const dispatcher = url.username || url.password ? undefined : route(url);
  if (!dispatcher) throw new RefusedError('is, or redirects to, an address that must not be asked');
  return dispatcher;
}

function replyOf(
  { status, header, headerLines, delimited, body }: Received,
  url: URL,
  now: number,
): Reply | Promise<Reply> {
  const mediaType =
    (header('content-type') ?? '').split(';', 1)[0]?.replaceAll(/\s/g, '').toLowerCase() ?? '';
  const [retryAfter, age] = [
    retryAfterSeconds(header('retry-after'), now),
    responseAge(headerLines('age'), headerLines('date'), now),
  ];
  const reply = { status, mediaType, delimited, body, url, header, retryAfter, age };
  const encoding = header('content-encoding');
  return encoding === undefined
    ? reply
    : decoded(body, encoding).then((plain) => ({ ...reply, body: plain }));
}

class RefusedError extends Error {}

function failureOf(error: unknown, { host }: URL, timeoutMs: number): Failure {
  if (error instanceof Problem) return { problem: error, failure: 'refused' };
  const because = (
    code: 'registry_error' | 'untrusted_answer' | 'registry_timeout',
    text: string,
  ) => new Problem(code, text, { cause: error });
  if (error instanceof RefusedError || error instanceof UnreadableBodyError) {
    const code = error instanceof RefusedError ? 'registry_error' : 'untrusted_answer';
    return { problem: because(code, `${host} ${error.message}.`), failure: 'refused' };
  }
  const name = error instanceof Error ? error.name : '';
  if (error instanceof TimeoutError || name === 'ConnectTimeoutError')
    return {
      problem: because('registry_timeout', `${host} did not answer in ${timeoutMs} ms.`),
      failure: 'timeout',
    };
  if (name === 'ResponseExceededMaxSizeError')
    return {
      problem: because('untrusted_answer', `${host} sent more than 1 MiB.`),
      failure: 'refused',
    };
  if (error instanceof ForbiddenAddressError)
    return {
      problem: because('registry_error', `${host} is not at a public address.`),
      failure: 'refused',
    };
  return {
    problem: because('registry_error', `${host} could not be reached, or broke off.`),
    failure: 'down',
  };
}
