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
import type { Problem } from '../../domain/problems.ts';
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
import { rawPath, readTarget } from './request-target.ts';
import { sendResponse } from './send-response.ts';
import { SlowReaders } from './slow-readers.ts';
import type { Timeouts } from './timeouts.ts';

/** Decides what every request gets. */
export interface RequestHandler {
  /** Returns whether a request is served however many others wait. */
  bypassesLoadShedding(request: IncomingMessage, path: string): boolean;
  /** Sends the response to a request that is rejected because of overload. */
  rejectOverloaded(request: IncomingMessage, response: ServerResponse, path: string): void;
  /** Answers a request. What it throws is rendered by `renderError`. */
  handle(http: HttpRequestContext): HttpResponse | Promise<HttpResponse>;
  renderError(problem: Problem, http: HttpRequestContext): HttpResponse;
  /** Renders the error of a request that could not be read. */
  renderParseError(problem: Problem, requestId: string): HttpResponse;
  /** Returns the headers of every response. */
  commonHeaders(origin: string | undefined): Record<string, string>;
}

interface HttpServerOptions {
  readonly handler: RequestHandler;
  readonly loadShedder: LoadShedder;
  readonly trustedProxies: AddressList;
  readonly timeouts: Timeouts;
  readonly clock: Clock;
  readonly log: Log;
}

/** Connections that wait to be accepted. A client whose connection is dropped tries again after a second or more. */
const backlog = 4096;

/** The HTTP server: connections, request ids, common headers, and the one place where a failure becomes a response. */
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
    // The router rejects a request without a Host header: Node alone would send a bare 400.
    this.#server = createServer({ ...timeouts, requireHostHeader: false });
    this.#server.maxConnections = maxConnections(log);
    this.#connections = new HttpConnections(this.#server, {
      accept: fairConnections(this.#server.maxConnections, options.trustedProxies),
      serve: (...read) => this.#receive(...read),
      pause: (resume) => loadShedder.pause(resume),
      clock,
      closeTimeoutMs: timeouts.closeTimeoutMs,
    });
    // Node alone would send a bare 417 for an expectation that it does not know; it may be ignored (RFC 9110 section 10.1.1).
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

  /** How many connections are open. */
  get connections(): number {
    return this.#connections.open;
  }

  /** Listens; resolves to the address that was taken. */
  async listen(host: string, port: number): Promise<AddressInfo> {
    this.#server.listen({ host, port, backlog });
    await once(this.#server, 'listening');
    return this.#server.address() as AddressInfo;
  }

  /**
   * Stops accepting connections, finishes what is in flight, and closes what has not finished after `graceMs`. Whatever has been sent by now is
   * answered, and whatever is sent later gets an answer or the end of its connection, but no reset.
   */
  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true;
    const closed = once(this.#server, 'close');
    const grace = AbortSignal.timeout(graceMs);
    grace.addEventListener('abort', () => this.#server.closeAllConnections());
    await this.#acceptPending(grace);
    // An HTTP server's own `close` also closes each idle connection, although its next request may be on its way.
    NetServer.prototype.close.call(this.#server);
    await Promise.race([closed, delay(this.#options.timeouts.drainTimeoutMs)]);
    // The event loop may have been busy for all that time.
    await eventLoopIteration();
    this.#connections.endWhenIdle();
    await closed;
    this.#server.close(); // ends its timers, too
    this.#rejections.flush();
  }

  /** Accepts the connections that the system has accepted and the event loop has not: closing the listener would reset them. */
  async #acceptPending(grace: AbortSignal): Promise<void> {
    const { loadShedder } = this.#options;
    const max = this.#connections.accepted + backlog;
    // Each turn accepts one connection: what is served in between would make them wait, on a busy machine for seconds.
    loadShedder.suspend();
    let acceptedBefore: number;
    do {
      acceptedBefore = this.#connections.accepted;
      await eventLoopIteration(); // which accepts one
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

  /** `release` is called when the response is written, not when the client has read it. */
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
      // What has begun can only be broken off: the client sees that the end is missing.
      this.#options.log.error({ err: error, ...logFields(http) }, 'an answer broke off');
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
        log.error({ err: problem.cause, ...logFields(http) }, 'the gateway failed');
      else if (problem.code === 'rate_limited' || problem.code === 'overloaded')
        this.#rejections.count(problem.code);
      // Without its path, which may contain a name.
      else log.info({ code: problem.code, requestId: http.requestId }, 'a request was refused');
      return handler.renderError(problem, http);
    }
  }

  #headersOf(
    reply: HttpResponse,
    http: HttpRequestContext,
    response: ServerResponse,
  ): Record<string, string> {
    const common = this.#options.handler.commonHeaders(http.request.headers.origin);
    // Each part of the gateway names the headers that its own decision depends on.
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

  /** A response that closes its connection would leave those behind it unsent. */
  #isLast(response: ServerResponse, { request }: HttpRequestContext): boolean {
    return this.#connections.pendingResponses(request.socket).at(-1) === response;
  }
}

/** Admits connections, of each address at most a tenth. */
function fairConnections(
  max: number,
  trustedProxies: AddressList,
): (socket: Socket) => (() => void) | undefined {
  const shares = new FairShares(max);
  return ({ remoteAddress }) => {
    const peer = normalizeAddress(remoteAddress ?? '');
    // A trusted proxy connects for many callers.
    if (peer !== undefined && trustedProxies.has(peer)) return () => undefined;
    return shares.take(addressLimitId(peer) ?? '');
  };
}

/** Resolves when the event loop has read once what there is to be read. */
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
