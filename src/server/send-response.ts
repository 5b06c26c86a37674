import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { systemClock } from '../clock.ts';
import type { Log } from '../log.ts';
import { logFields, type HttpRequestContext, type HttpResponse } from './http-request-context.ts';

/** A response with all its headers, to which those of the connection are added. */
interface SentResponse extends HttpResponse {
  readonly headers: Record<string, string>;
}

/**
 * Sends a response, a streamed one at the speed at which the client reads. Rejects with the error
 * of a stream that fails. Returns nothing once a response in one piece is written.
 */
export function sendResponse(
  response: ServerResponse,
  reply: SentResponse,
  http: HttpRequestContext,
  slowReaders: SlowReaders,
): void | Promise<void> {
  const { request } = http;
  const { body } = reply;
  if (response.destroyed) return closeBody(body);

  // An unread request body remains on the socket: close the connection, so that it is not parsed as
  // the next request.
  const isUnread = !request.complete && request.method !== 'GET' && request.method !== 'HEAD';
  if (isUnread) reply.headers['connection'] = 'close';
  if (typeof body !== 'object' || body instanceof Uint8Array)
    return sendBuffered(response, reply, body, http, slowReaders);

  response.writeHead(reply.status, reply.headers);
  return sendStream(response, body, http, slowReaders);
}

function sendBuffered(
  response: ServerResponse,
  { status, headers }: SentResponse,
  body: string | Uint8Array | undefined,
  http: HttpRequestContext,
  slowReaders: SlowReaders,
): void {
  const bytes = Buffer.byteLength(body ?? '');
  if (status !== 204 && status !== 304) headers['content-length'] = String(bytes);
  response.writeHead(status, headers);
  response.end(http.request.method === 'HEAD' ? undefined : body);

  // There is nothing to wait for if the kernel has taken all data. A pipelined response has no
  // socket until the previous one has been sent.
  if (response.socket?.writableLength !== 0)
    response.once('close', slowReaders.wait(response, bytes, http));
}

async function sendStream(
  response: ServerResponse,
  chunks: AsyncGenerator<string, void, void>,
  http: HttpRequestContext,
  slowReaders: SlowReaders,
): Promise<void> {
  const isHead = http.request.method === 'HEAD';
  let waitedMs = 0;
  response.flushHeaders();

  for await (const chunk of chunks) {
    if (response.destroyed) return;
    if (!isHead) response.write(chunk);
    if (!response.writableNeedDrain) continue;
    const endWait = slowReaders.wait(response, response.writableLength, http, waitedMs);
    await once(response, 'drain', { signal: http.signal() }).catch(() => undefined);
    waitedMs += endWait();
  }

  if (response.destroyed) return;

  response.once('close', slowReaders.wait(response, response.writableLength, http, waitedMs));
  response.end();
}

async function closeBody(body: HttpResponse['body']): Promise<void> {
  if (typeof body === 'object' && Symbol.asyncIterator in body) await body.return();
}

/** Ends the wait for a client. Returns its duration, in milliseconds. */
type EndWait = () => number;

/**
 * Aborts responses that are not read in time. Progress does not extend the timeout: a client could
 * read one byte at a time forever.
 */
export class SlowReaders {
  readonly #timeouts: Timeouts;
  readonly #log: Log;
  /** The responses that wait for their clients, oldest first. */
  readonly #unread = new Set<{ readonly abort: () => void }>();
  #unreadBytes = 0;

  constructor(timeouts: Timeouts, log: Log) {
    this.#timeouts = timeouts;
    this.#log = log;
  }

  /**
   * Aborts a response of `bytes` bytes unless the wait is ended in time. `waitedMs` is the total
   * duration of earlier waits for the same response.
   */
  wait(response: ServerResponse, bytes: number, http: HttpRequestContext, waitedMs = 0): EndWait {
    const { readTimeoutMs, minBytesPerMs, totalReadTimeoutMs, maxUnreadBytes } = this.#timeouts;
    const timeoutMs = Math.min(
      readTimeoutMs + bytes / minBytesPerMs,
      totalReadTimeoutMs - waitedMs,
    );
    const startedAt = systemClock.elapsed();
    let timer: NodeJS.Timeout | undefined;
    const startTimer = () => void (timer = setTimeout(abort, timeoutMs).unref());

    const end = () => {
      response.off('socket', startTimer);
      clearTimeout(timer);
      if (this.#unread.delete(unread)) this.#unreadBytes -= bytes;
      return systemClock.elapsed() - startedAt;
    };

    const abort = () => {
      response.destroy();
      this.#log.warn(logFields(http), 'Response aborted: client too slow.');
      end();
    };

    const unread = { abort };
    // A pipelined response has no socket until the previous one has been sent.
    if (response.socket) startTimer();
    else response.once('socket', startTimer);
    this.#unread.add(unread);
    this.#unreadBytes += bytes;

    for (const oldest of this.#unread) {
      if (this.#unreadBytes <= maxUnreadBytes) break;
      oldest.abort();
    }

    return end;
  }
}

/**
 * Limits on slow clients: times in milliseconds, and unread bytes. The first four are options of
 * Node's HTTP server.
 */
export interface Timeouts {
  readonly headersTimeout: number;
  /** Time to receive headers and body. */
  readonly requestTimeout: number;
  /** Time to receive the next request on a connection. */
  readonly keepAliveTimeout: number;
  readonly connectionsCheckingInterval: number;
  /** Time to read a response, besides what its length takes at `minBytesPerMs`. */
  readonly readTimeoutMs: number;
  readonly minBytesPerMs: number;
  /**
   * For reading a response of any length. For a stream, only the time spent waiting for the client
   * counts.
   */
  readonly totalReadTimeoutMs: number;
  /** Size of all responses that wait for their clients. Above this, the oldest is aborted. */
  readonly maxUnreadBytes: number;
  /** Time to receive further requests on open connections when the gateway stops. */
  readonly drainTimeoutMs: number;
  /** Time for the client to close its side of a connection that the gateway has ended. */
  readonly closeTimeoutMs: number;
}

/**
 * Disconnects slow clients within seconds. Node's defaults are minutes, and it has no limit for
 * clients that do not read.
 */
export const defaultTimeouts: Timeouts = {
  headersTimeout: 5000,
  requestTimeout: 10_000,
  keepAliveTimeout: 5000,
  connectionsCheckingInterval: 500,
  readTimeoutMs: 30_000,
  minBytesPerMs: 10,
  totalReadTimeoutMs: 300_000,
  maxUnreadBytes: 256 * 1024 * 1024,
  drainTimeoutMs: 500,
  closeTimeoutMs: 1000,
};
