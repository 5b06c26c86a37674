import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { Server as NetServer, type AddressInfo } from 'node:net';
import { setImmediate as yieldToEventLoop, setTimeout as delay } from 'node:timers/promises';
import { maxConnections, HttpConnections } from './connections.ts';
import { Responder, type ResponderOptions } from './responder.ts';
import type { Duplex } from 'node:stream';
import { Problem } from '../domain/problems.ts';
import type { HttpResponse } from './http-request-context.ts';

// An import would read all exports of the module, and its `WebSocket` loads Node's own copy of undici:
// 40 ms.
const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http');

/**
 * Maximum number of connections waiting to be accepted. A client whose connection is dropped
 * retries after a second or more.
 */
const backlog = 4096;

/** Listens, and manages connections and malformed requests. */
export class HttpServer {
  readonly #options: ResponderOptions;
  readonly #server: Server;
  readonly #connections: HttpConnections;
  readonly #responder: Responder;

  constructor(options: ResponderOptions) {
    const { timeouts, log } = options;
    this.#options = options;
    this.#responder = new Responder(options);

    // The router rejects requests without a Host header: Node would send a 400 without a body.
    this.#server = createServer({ ...timeouts, requireHostHeader: false });
    this.#server.maxConnections = maxConnections(log);
    this.#connections = new HttpConnections(this.#server, this.#responder, options);

    // Node would respond to an unknown expectation with a 417 without a body. A server may ignore
    // it (RFC 9110 section 10.1.1).
    this.#server.on('checkExpectation', (request, response) =>
      this.#server.emit('request', request, response),
    );
    this.#server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      if (error.code === 'ECONNRESET') socket.destroy();
      else this.#rejectMalformed(socket, problemOf(error));
    });
    this.#server.on('connect', (_request, socket) => {
      socket.on('error', () => socket.destroy()); // Node no longer handles its errors
      const problem = new Problem('method_not_allowed', 'CONNECT is not supported.', { allow });
      this.#rejectMalformed(socket, problem);
    });
  }

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
    this.#connections.isStopping = true;
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
    this.#responder.flush();
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

  /**
   * Responds to a request that is not valid HTTP, does not arrive in time, or requests a tunnel: Node
   * would send an empty body, or nothing.
   */
  #rejectMalformed(socket: Duplex, problem: Problem): void {
    // If the response to an earlier request of the connection is pending, the client would mistake
    // this one for it.
    const hasPendingResponse = this.#connections
      .pendingResponses(socket)
      .some(({ req, headersSent }) => req.complete || headersSent);
    if (hasPendingResponse || !socket.writable) return void socket.destroy();

    const { handler } = this.#options;
    const requestId = randomUUID();
    const reply = handler.renderParseError(problem, requestId);
    const common = { ...handler.commonHeaders(undefined), 'x-request-id': requestId };
    const headers = { ...common, ...reply.headers };

    socket.end(rawResponse({ ...reply, headers }), () => socket.destroy());
  }
}

/** Resolves after the event loop has polled for I/O once. */
async function eventLoopIteration(): Promise<void> {
  await yieldToEventLoop();
  await yieldToEventLoop();
}

/** Returns the HTTP/1.1 text of a response after which the connection is closed. */
function rawResponse({ status, headers, body }: HttpResponse): string {
  const text = typeof body === 'string' ? body : '';
  const lines = Object.entries({
    ...headers,
    'content-length': Buffer.byteLength(text),
    connection: 'close',
  });

  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...lines.map(([name, value]) => `${name}: ${value}`),
    '',
    text,
  ].join('\r\n');
}

/** The methods that some path accepts. */
const allow = 'GET, HEAD, POST, OPTIONS';

function problemOf({ code }: NodeJS.ErrnoException): Problem {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new Problem('headers_too_large', 'Send shorter headers or a shorter URL.');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new Problem('request_timeout', 'The request did not arrive in time. Send it again.');
  return new Problem('malformed_request', 'The request is not valid HTTP.');
}
