import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Server as NetServer, type AddressInfo, type Socket } from 'node:net';
import { setImmediate as nextIteration, setTimeout as delay } from 'node:timers/promises';
import { addressLimitId, callerAddress } from '../../accounts/caller-address.ts';
import { normalizeAddress, type AddressList } from '../../ip-address.ts';
import type { Clock } from '../../clock.ts';
import { findUsedAliases } from '../response/deprecations.ts';
import type { Log } from '../../log.ts';
import type { LoadShedder } from '../middleware/load-shedder.ts';
import { logFields, type HttpRequestContext, type HttpResponse } from '../http-request-context.ts';
import { asProblem, isServerFault } from '../response/problem-response.ts';
import { RejectionLog } from './rejection-log.ts';
import { FairShares } from '../middleware/fair-shares.ts';
import { joinVary, varyAt } from '../response/vary.ts';
import { maxConnections } from './connection-limit.ts';
import { HttpConnections } from './connections.ts';
import { handleMalformedRequests } from './malformed-requests.ts';
import { RequestLifecycle } from './request-lifecycle.ts';
import type { RequestHandler } from './request-handler.ts';
import { rawPath, readTarget } from './request-target.ts';
import { sendResponse } from './send-response.ts';
import { SlowReaders } from './slow-readers.ts';
import type { Timeouts } from './timeouts.ts';

interface HttpServerOptions {
  readonly handler: RequestHandler;
  readonly loadShedder: LoadShedder;
  readonly trustedProxies: AddressList;
  readonly timeouts: Timeouts;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Maximum number of connections waiting to be accepted. A client whose connection is dropped
 * retries after a second or more.
 */
const backlog = 4096;

/**
 * Runs the HTTP server: manages connections, adds request ids and common headers, and is the only
 * place that turns errors into responses.
 */
export class HttpServer {
  readonly #options: HttpServerOptions;
  readonly #server: Server;
  readonly #connections: HttpConnections;
  readonly #slowReaders: SlowReaders;
  readonly #rejections: RejectionLog;
  #isStopping = false;

  constructor(options: HttpServerOptions) {
    const { handler, loadShedder, timeouts, clock, log } = options;
    this.#options = options;
    this.#slowReaders = new SlowReaders(timeouts, log);
    this.#rejections = new RejectionLog(log, clock);
    // The router rejects requests without a Host header: Node would send a 400 without a body.
    this.#server = createServer({ ...timeouts, requireHostHeader: false });
    this.#server.maxConnections = maxConnections(log);
    this.#connections = new HttpConnections(this.#server, {
      accept: fairConnections(this.#server.maxConnections, options.trustedProxies),
      serve: (...args) => this.#receive(...args),
      pause: (resume) => loadShedder.pause(resume),
      clock,
      closeTimeoutMs: timeouts.closeTimeoutMs,
    });
    // Node would respond to an unknown expectation with a 417 without a body. A server may ignore
    // it (RFC 9110 section 10.1.1).
    this.#server.on('checkExpectation', (request, response) =>
      this.#server.emit('request', request, response),
    );
    handleMalformedRequests(this.#server, this.#connections, (problem) => {
      const requestId = randomUUID();
      const reply = handler.renderParseError(problem, requestId);
      return {
        ...reply,
        headers: {
          ...handler.commonHeaders(undefined),
          'x-request-id': requestId,
          ...reply.headers,
        },
      };
    });
  }

  /** Number of open connections. */
  get connections(): number {
    return this.#connections.open;
  }

  /** Starts listening. Resolves to the bound address. */
  async listen(host: string, port: number): Promise<AddressInfo> {
    this.#server.listen({ host, port, backlog });
    await once(this.#server, 'listening');
    return this.#server.address() as AddressInfo;
  }

  /**
   * Stops accepting connections, finishes requests in flight, and closes the remaining connections
   * after `graceMs`. Every request that has been sent gets a response; a later one gets a response
   * or an orderly close of its connection, not a reset.
   */
  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true;
    const closed = once(this.#server, 'close');
    const grace = AbortSignal.timeout(graceMs);
    grace.addEventListener('abort', () => this.#server.closeAllConnections());
    await this.#acceptPending(grace);
    // `close` of the HTTP server would also close idle connections, although their next request may
    // be in transit.
    NetServer.prototype.close.call(this.#server);
    await Promise.race([closed, delay(this.#options.timeouts.drainTimeoutMs)]);
    // The event loop may have been blocked during the delay: read what has arrived meanwhile.
    await eventLoopIteration();
    this.#connections.endWhenIdle();
    await closed;
    this.#server.close(); // also stops its timers
    this.#rejections.flush();
  }

  /**
   * Accepts the connections that the kernel has accepted and the event loop has not: closing the
   * listener would reset them.
   */
  async #acceptPending(grace: AbortSignal): Promise<void> {
    const { loadShedder } = this.#options;
    const max = this.#connections.accepted + backlog;
    // Each iteration of the event loop accepts one connection. Serving requests in between would
    // delay the others, on a busy machine by seconds.
    loadShedder.suspend();
    let acceptedBefore: number;
    do {
      acceptedBefore = this.#connections.accepted;
      await eventLoopIteration();
    } while (
      this.#connections.accepted > acceptedBefore &&
      this.#connections.accepted < max &&
      !grace.aborted
    );
    loadShedder.resume();
  }

  #receive(
    request: IncomingMessage,
    response: ServerResponse,
    waitingSince: number,
    onClose: (task: () => void) => void,
  ): boolean {
    const { handler, loadShedder, trustedProxies } = this.#options;
    const path = rawPath(request.url ?? '');
    if (handler.bypassesLoadShedding(request, path)) {
      void this.#serve(request, response, onClose, () => undefined);
      return false;
    }
    loadShedder.acquire({
      address: addressLimitId(callerAddress(request, trustedProxies)) ?? '',
      waitingSince,
      serve: (release) => void this.#serve(request, response, onClose, release),
      reject: () => {
        this.#rejections.count('overloaded');
        handler.rejectOverloaded(request, response, path);
      },
      isDisconnected: () => response.destroyed,
    });
    return true;
  }

  /** Calls `release` when the response is written, even if the client has not read it. */
  async #serve(
    request: IncomingMessage,
    response: ServerResponse,
    onClose: (task: () => void) => void,
    release: () => void,
  ): Promise<void> {
    const lifecycle = new RequestLifecycle(response);
    lifecycle.onEnd(release);
    onClose(() => lifecycle.end());
    const http = createRequestContext(request, lifecycle);
    const reply = await this.#handle(http);
    try {
      await sendResponse(
        response,
        { ...reply, headers: this.#headersOf(reply, http, response) },
        http,
        this.#slowReaders,
      );
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
      // The path is not logged: it may contain a domain name.
      else log.info({ code: problem.code, requestId: http.requestId }, 'Request rejected.');
      return handler.renderError(problem, http);
    }
  }

  #headersOf(
    reply: HttpResponse,
    http: HttpRequestContext,
    response: ServerResponse,
  ): Record<string, string> {
    const common = this.#options.handler.commonHeaders(http.request.headers.origin);
    // Each part of the gateway lists the request headers that its result depends on.
    const vary = joinVary(
      common['vary'],
      varyAt(http.path),
      http.responseHeaders['vary'],
      reply.headers['vary'],
    );
    return {
      ...common,
      'x-request-id': http.requestId,
      ...http.responseHeaders,
      ...reply.headers,
      ...(vary !== undefined && { vary }),
      ...(this.#isStopping && this.#isLast(response, http) && { connection: 'close' }),
    };
  }

  /**
   * Returns whether a response is the last pending one of its connection. Closing the connection
   * after any other would leave the rest unsent.
   */
  #isLast(response: ServerResponse, { request }: HttpRequestContext): boolean {
    return this.#connections.pendingResponses(request.socket).at(-1) === response;
  }
}

/** Returns a function that accepts connections, at most a tenth of `max` per address. */
function fairConnections(
  max: number,
  trustedProxies: AddressList,
): (socket: Socket) => (() => void) | undefined {
  const shares = new FairShares(max);
  return ({ remoteAddress }) => {
    const peer = normalizeAddress(remoteAddress ?? '');
    // A trusted proxy connects on behalf of many clients.
    if (peer !== undefined && trustedProxies.has(peer)) return () => undefined;
    return shares.take(addressLimitId(peer) ?? '');
  };
}

/** Resolves after the event loop has polled for I/O once. */
async function eventLoopIteration(): Promise<void> {
  await nextIteration();
  await nextIteration();
}

function createRequestContext(
  request: IncomingMessage,
  lifecycle: RequestLifecycle,
): HttpRequestContext {
  const { path, query } = readTarget(request.url ?? '');
  return {
    request,
    method: request.method === 'HEAD' ? 'GET' : (request.method ?? ''),
    path,
    query,
    usedAliases: findUsedAliases(path, query),
    requestId: randomUUID(),
    signal: () => lifecycle.signal(),
    responseHeaders: {},
    onResponseClosed: (task) => lifecycle.onEnd(task),
  };
}
