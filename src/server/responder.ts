import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { addressLimitId, callerAddress } from '../accounts/caller-address.ts';
import type { AddressList } from '../domain/names/ip-address.ts';
import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import {
  logFields,
  type HttpRequestContext,
  type HttpResponse,
  type RequestHandler,
} from './http-request-context.ts';
import type { LoadShedder } from './load-shedder.ts';
import { isLookupProblem } from '../domain/problems.ts';
import { asProblem, isServerFault } from './messages/problem-response.ts';
import { joinVary, varyAt } from './messages/api-paths.ts';
import { rawPath, readTarget } from './request-target.ts';
import { sendResponse, SlowReaders, type Timeouts } from './send-response.ts';

export interface ResponderOptions {
  readonly handler: RequestHandler;
  readonly loadShedder: LoadShedder;
  readonly trustedProxies: AddressList;
  readonly timeouts: Timeouts;
  readonly clock: Clock;
  readonly log: Log;
}

/** What the server knows of a request. */
export interface Connection {
  /** Sets the task to run when the response closes. */
  onClose(task: () => void): void;
  /**
   * Returns whether the connection is closed after the response, which then has the header
   * `Connection: close`.
   */
  isLast(): boolean;
}

/**
 * Responds to the requests of an HTTP server: adds request ids and common headers, and is the only
 * place that turns errors into responses.
 */
export class Responder {
  readonly #options: ResponderOptions;
  readonly #slowReaders: SlowReaders;
  readonly #rejections: RejectionLog;

  constructor(options: ResponderOptions) {
    const { timeouts, clock, log } = options;
    this.#options = options;
    this.#slowReaders = new SlowReaders(timeouts, log);
    this.#rejections = new RejectionLog(log, clock);
  }

  /** Responds to a request, as soon as the load shedder serves it. */
  receive(request: IncomingMessage, response: ServerResponse, exchange: Connection): void {
    const { handler, loadShedder, trustedProxies } = this.#options;
    const path = rawPath(request.url ?? '');
    const address = addressLimitId(callerAddress(request, trustedProxies));
    const serve = (release: () => void) =>
      void this.#serve({ request, response, address }, exchange, release);
    if (handler.bypassesLoadShedding(request, path)) return serve(() => undefined);

    loadShedder.acquire({
      address: address ?? '',
      serve,
      reject: () => {
        this.#rejections.count('overloaded');
        this.reject(response, path);
      },
      isDisconnected: () => response.destroyed,
    });
  }

  reject(response: ServerResponse, path: string): void {
    const { status, headers, body } = this.#options.handler.renderOverload(path);
    const text = typeof body === 'string' ? body : '';
    const length = { 'content-length': String(Buffer.byteLength(text)) };
    response.writeHead(status, { ...headers, ...length }).end(text);
  }

  /** Logs the rejected requests that have not been logged yet. */
  flush(): void {
    this.#rejections.flush();
  }

  /** Calls `release` when the response is written, even if the client has not read it. */
  async #serve(
    received: ReceivedRequest,
    exchange: Connection,
    release: () => void,
  ): Promise<void> {
    const { response } = received;
    const lifecycle = new RequestLifecycle(response);
    lifecycle.onEnd(release);
    exchange.onClose(() => lifecycle.end());

    const http = createRequestContext(received, lifecycle);
    // Nobody reads the body of a GET, which Node.js would keep for as long as a stream lasts.
    if (http.method === 'GET') received.request.resume();

    const reply = await this.#handle(http);
    try {
      const sending = sendResponse(
        response,
        { ...reply, headers: this.#headersOf(reply, http, exchange.isLast()) },
        http,
        this.#slowReaders,
      );
      if (sending) await sending;
    } catch (error) {
      // The headers have been sent: the client can only see that the response is incomplete.
      this.#options.log.error(
        { err: error, ...logFields(http) },
        'Response aborted: it failed after the headers were sent.',
      );
      response.destroy();
    } finally {
      lifecycle.end();
    }
  }

  async #handle(http: HttpRequestContext): Promise<HttpResponse> {
    const { handler, log } = this.#options;
    try {
      return await handler.handle(http);
    } catch (error) {
      const problem = asProblem(error);
      if (isServerFault(problem))
        log.error(
          { err: problem.cause, code: problem.code, ...logFields(http) },
          'Request failed. If the code is internal, report it with the stack trace.',
        );
      else if (problem.code === 'rate_limited' || problem.code === 'overloaded')
        this.#rejections.count(problem.code);
      else if (problem.lookup && isLookupProblem(problem.code))
        log.info(
          {
            ...problem.lookup,
            code: problem.code,
            detail: problem.message,
            requestId: http.requestId,
          },
          'No usable answer from the registry.',
        );
      // The path is not logged: it may contain a domain name.
      else {
        const { route, requestId } = http;
        log.info({ code: problem.code, route, requestId }, 'Request rejected.');
      }

      return handler.renderError(problem, http);
    }
  }

  #headersOf(
    reply: HttpResponse,
    http: HttpRequestContext,
    isLast: boolean,
  ): Record<string, string> {
    const common = this.#options.handler.commonHeaders(http.request.headers.origin);
    // Each part of the gateway lists the request headers that its result depends on.
    const vary = joinVary(
      common['vary'],
      varyAt(http.path),
      http.responseHeaders['vary'],
      reply.headers['vary'],
    );
    const own = { 'x-request-id': http.requestId };
    const headers = Object.assign({}, common, own, http.responseHeaders, reply.headers);
    if (vary !== undefined) headers['vary'] = vary;
    if (isLast) headers['connection'] = 'close';

    return headers;
  }
}

interface ReceivedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The id for limits per address; undefined if the socket is closed. */
  readonly address: string | undefined;
}

function createRequestContext(
  { request, address }: ReceivedRequest,
  lifecycle: RequestLifecycle,
): HttpRequestContext {
  const { path, query } = readTarget(request.url ?? '');
  return {
    request,
    method: request.method === 'HEAD' ? 'GET' : (request.method ?? ''),
    path,
    query,
    address,
    usedAliases: [],
    requestId: randomUUID(),
    signal: () => lifecycle.signal(),
    responseHeaders: {},
    onResponseEnd: (task) => lifecycle.onEnd(task),
  };
}

/**
 * Logs the number of rejected requests once per second: a line for each would cost more than the
 * rejection, and fill the disk.
 */
class RejectionLog {
  readonly #log: Log;
  readonly #clock: Clock;
  #counts: Record<string, number> = {};
  #cancel: (() => void) | undefined;

  constructor(log: Log, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  count(code: string): void {
    this.#counts[code] = (this.#counts[code] ?? 0) + 1;
    this.#cancel ??= this.#clock.after(intervalMs, () => this.flush());
  }

  flush(): void {
    if (!this.#cancel) return;

    this.#cancel();
    this.#cancel = undefined;
    this.#log.warn(
      { rejected: this.#counts },
      'Requests rejected by rate limits or load shedding.',
    );
    this.#counts = {};
  }
}

const intervalMs = 1000;

/** Tracks a request until its response has ended. */
class RequestLifecycle {
  readonly #response: ServerResponse;
  readonly #tasks: (() => void)[] = [];
  /** Created on demand: most responses are ready before a client could disconnect. */
  #disconnect: AbortController | undefined;
  #hasEnded = false;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  /** Returns a signal that is aborted if the client disconnects before the response is written. */
  signal(): AbortSignal {
    this.#disconnect ??= new AbortController();
    if (this.#hasDisconnected()) this.#disconnect.abort();
    return this.#disconnect.signal;
  }

  /**
   * Runs a task when the response is written, even if it is not read, or the client disconnects.
   */
  onEnd(task: () => void): void {
    if (this.#hasEnded) task();
    else this.#tasks.push(task);
  }

  /** Ends the request. Must be called when the response is written, and when it is closed. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    if (this.#hasDisconnected()) this.#disconnect?.abort();
    for (const task of this.#tasks) task();
  }

  /** Returns false once the response is written: work that the request started may go on. */
  #hasDisconnected(): boolean {
    return this.#hasEnded && !this.#response.writableEnded;
  }
}
