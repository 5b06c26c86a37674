import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Server as NetServer, type AddressInfo, type Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { addressLimitId, callerAddress } from '../../accounts/caller-address.ts';
import { plainAddress, type AddressList } from '../../addresses.ts';
import type { Clock } from '../../clock.ts';
import { aliasesUsed } from '../response/deprecations.ts';
import type { Log } from '../../log.ts';
import type { Problem } from '../../domain/problems.ts';
import type { Admission } from '../middleware/load-shedder.ts';
import { logged, type Call, type Reply } from '../call.ts';
import { asProblem, isOurs } from '../response/problem-response.ts';
import { RejectionLog } from './rejection-log.ts';
import { Shares } from '../middleware/fair-shares.ts';
import { joinVary, varyAt } from '../response/vary.ts';
import { maxConnections } from './connection-limit.ts';
import { Connections } from './connections.ts';
import { answerMalformedRequests } from './malformed-requests.ts';
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
  answer(call: Call): Reply | Promise<Reply>;
  renderError(problem: Problem, call: Call): Reply;
  /** Renders the error of a request that could not be read. */
  renderParseError(problem: Problem, requestId: string): Reply;
  /** Returns the headers of every response. */
  commonHeaders(origin: string | undefined): Record<string, string>;
}

interface HttpServerOptions {
  readonly handler: RequestHandler;
  readonly admission: Admission;
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
  readonly #connections: Connections;
  readonly #slowReaders: SlowReaders;
  readonly #rejections: RejectionLog;
  #isStopping = false;

  constructor(options: HttpServerOptions) {
    const { handler, admission, timeouts, clock, log } = options;
    this.#options = options;
    this.#slowReaders = new SlowReaders(timeouts, log);
    this.#rejections = new RejectionLog(log, clock);
    // The router rejects a request without a Host header: Node alone would send a bare 400.
    this.#server = createServer({ ...timeouts, requireHostHeader: false });
    this.#server.maxConnections = maxConnections(log);
    this.#connections = new Connections(this.#server, {
      admit: connectionShares(this.#server.maxConnections, options.trustedProxies),
      serve: (request, response, waitingSince) => this.#admit(request, response, waitingSince),
      pause: (resume) => admission.pause(resume),
      clock,
      closeTimeoutMs: timeouts.closeTimeout,
    });
    // Node alone would send a bare 417 for an expectation that it does not know; it may be ignored (RFC 9110 section 10.1.1).
    this.#server.on('checkExpectation', (request, response) =>
      this.#server.emit('request', request, response),
    );
    answerMalformedRequests(this.#server, this.#connections, (problem) => {
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
    await this.#acceptWaiting(grace);
    // An HTTP server's own `close` also closes each idle connection, although its next request may be on its way.
    NetServer.prototype.close.call(this.#server);
    await Promise.race([closed, delay(this.#options.timeouts.lastRequestsTimeout)]);
    // The event loop may have been busy for all that time.
    await loopTurn();
    this.#connections.endWhenIdle();
    await closed;
    this.#server.close(); // ends its timers, too
    this.#rejections.flush();
  }

  /** Accepts the connections that the system has accepted and the event loop has not: closing the listener would reset them. */
  async #acceptWaiting(grace: AbortSignal): Promise<void> {
    const { admission } = this.#options;
    const max = this.#connections.accepted + backlog;
    // Each turn accepts one connection: what is served in between would make them wait, on a busy machine for seconds.
    admission.hold();
    let before: number;
    do {
      before = this.#connections.accepted;
      await loopTurn(); // which accepts one
    } while (
      this.#connections.accepted > before &&
      this.#connections.accepted < max &&
      !grace.aborted
    );
    admission.resume();
  }

  #admit(request: IncomingMessage, response: ServerResponse, waitingSince: number): boolean {
    const { handler, admission, trustedProxies } = this.#options;
    const path = rawPath(request.url ?? '');
    if (handler.bypassesLoadShedding(request, path)) {
      void this.#serve(request, response, () => undefined);
      return false;
    }
    admission.enter({
      address: addressLimitId(callerAddress(request, trustedProxies)) ?? '',
      waitingSince,
      serve: (release) => void this.#serve(request, response, release),
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
    release: () => void,
  ): Promise<void> {
    const lifecycle = new RequestLifecycle(response);
    lifecycle.onEnd(release);
    response.on('close', () => lifecycle.end());
    const call = readCall(request, lifecycle);
    const reply = await this.#answer(call);
    try {
      await sendResponse(
        response,
        { ...reply, headers: this.#headersOf(reply, call, response) },
        call,
        this.#slowReaders,
      );
    } catch (error) {
      // What has begun can only be broken off: the client sees that the end is missing.
      this.#options.log.error({ err: error, ...logged(call) }, 'an answer broke off');
      response.destroy();
    } finally {
      lifecycle.end();
    }
  }

  async #answer(call: Call): Promise<Reply> {
    const { handler, log } = this.#options;
    try {
      return await handler.answer(call);
    } catch (error) {
      const problem = asProblem(error);
      if (isOurs(problem)) log.error({ err: problem.cause, ...logged(call) }, 'the gateway failed');
      else if (problem.code === 'rate_limited' || problem.code === 'overloaded')
        this.#rejections.count(problem.code);
      // Without its path, which may contain a name.
      else log.info({ code: problem.code, requestId: call.requestId }, 'a request was refused');
      return handler.renderError(problem, call);
    }
  }

  #headersOf(reply: Reply, call: Call, response: ServerResponse): Record<string, string> {
    const common = this.#options.handler.commonHeaders(call.request.headers.origin);
    // Each part of the gateway names the headers that its own decision depends on.
    const vary = joinVary(
      common['vary'],
      varyAt(call.path),
      call.answerHeaders['vary'],
      reply.headers['vary'],
    );
    return {
      ...common,
      'x-request-id': call.requestId,
      ...call.answerHeaders,
      ...reply.headers,
      ...(vary !== undefined && { vary }),
      ...(this.#isStopping && this.#isLast(response, call) && { connection: 'close' }),
    };
  }

  /** A response that closes its connection would leave those behind it unsent. */
  #isLast(response: ServerResponse, { request }: Call): boolean {
    return this.#connections.pendingResponses(request.socket).at(-1) === response;
  }
}

/** Admits connections, of each address at most a tenth. */
function connectionShares(
  max: number,
  trustedProxies: AddressList,
): (socket: Socket) => (() => void) | undefined {
  const shares = new Shares(max);
  return ({ remoteAddress }) => {
    const peer = plainAddress(remoteAddress ?? '');
    // A trusted proxy connects for many callers.
    if (peer !== undefined && trustedProxies.has(peer)) return () => undefined;
    return shares.take(addressLimitId(peer) ?? '');
  };
}

/** Resolves when the event loop has read once what there is to be read. */
async function loopTurn(): Promise<void> {
  await nextTurn();
  await nextTurn();
}

function readCall(request: IncomingMessage, lifecycle: RequestLifecycle): Call {
  const { path, query } = readTarget(request.url ?? '');
  return {
    request,
    method: request.method === 'HEAD' ? 'GET' : (request.method ?? ''),
    path,
    query,
    aliases: aliasesUsed(path, query),
    requestId: randomUUID(),
    signal: () => lifecycle.signal(),
    answerHeaders: {},
    whenDone: (task) => lifecycle.onEnd(task),
  };
}
