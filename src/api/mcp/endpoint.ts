import { randomUUID } from 'node:crypto';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { Problem, type ProblemCode } from '../../domain/problems.ts';
import {
  logFields,
  type AuthenticatedRequest,
  type HttpResponse,
  type HttpRequestContext,
} from '../../server/http-request-context.ts';
import { costHeaders } from '../../server/messages/run-response.ts';
import { isServerFault } from '../../server/messages/problem-response.ts';
import { createServerFactory, type ServerOptions, type ToolHost } from './mcp-server.ts';
import { errorResponse } from './errors.ts';
import { readMessage, type Message } from './message.ts';
import { acceptsOneOf, eventStream } from '../../server/messages/media-types.ts';

/** Proxies close idle connections, so streams send a comment at this interval. */
const keepAliveMs = 12_000;

/**
 * The MCP endpoint: each message of a client is a request of its own, in the revision 2026-07-28 or
 * an earlier one. It has no sessions, so every process can serve every request. With the 2025
 * revisions, it assigns session ids only to recognize which call a client cancels.
 */
export class McpEndpoint {
  readonly #options: ServerOptions;
  readonly #createServer: ReturnType<typeof createServerFactory>;
  /**
   * The calls in progress of clients with a 2025 revision, which cancel a call in another request.
   * The calls of one process: a cancellation that reaches another process has no effect.
   */
  readonly #runningCalls = new Map<string | undefined, AbortController>();

  constructor(options: ServerOptions) {
    this.#options = options;
    this.#createServer = createServerFactory(options);
  }

  /** Answers a JSON-RPC message, or reports the problem of a body that is not JSON. */
  async respond(request: AuthenticatedRequest, sent: unknown): Promise<HttpResponse> {
    const message = readMessage(sent);
    if ('problem' in message) return errorResponse(message.problem, message);

    const { body, method, id, cancelledId } = message;
    request.messageId = id;
    this.#runningCalls.get(callId(request, cancelledId))?.abort();

    const signal = this.#signalOf(request, id);
    let code: ProblemCode | undefined;
    const reading = new Reading();
    const host = this.#hostFor(request, reading, (failed) => (code = failed));
    const handler = createMcpHandler(() => this.#createServer(host), {
      keepAliveMs,
      // The tools never change, so there is nothing to subscribe to.
      maxSubscriptions: 0,
      responseMode: acceptsOneOf([json], request) ? 'auto' : 'sse',
      onerror: (err) =>
        this.#options.log.debug({ err, ...logFields(request) }, 'MCP message rejected.'),
    });
    const response = await httpResponse(
      await handler.fetch(webRequest(request, signal), { parsedBody: body }),
      acceptsOneOf([eventStream], request),
      reading,
    );

    return {
      ...response,
      headers: {
        ...response.headers,
        ...(method === 'initialize' && { 'mcp-session-id': randomUUID() }),
      },
      ...(code !== undefined && { code }),
    };
  }

  /** Returns a signal that is aborted when the client disconnects or cancels the call. */
  #signalOf(request: AuthenticatedRequest, id: Message['id']): AbortSignal {
    const call = callId(request, id);
    if (call === undefined) return request.signal();

    const controller = new AbortController();
    this.#runningCalls.set(call, controller);
    request.onResponseEnd(() => {
      if (this.#runningCalls.get(call) === controller) this.#runningCalls.delete(call);
    });

    return AbortSignal.any([request.signal(), controller.signal]);
  }

  #hostFor(
    request: AuthenticatedRequest,
    reading: Reading,
    onFailed: (code: ProblemCode) => void,
  ): ToolHost {
    const { log } = this.#options;
    return {
      caller: request,
      acceptsStream: acceptsOneOf([eventStream], request),
      whenRead: () => reading.whenRead(),
      // Without effect on a stream, whose headers have been sent. The cost is also in its result.
      onCost: (cost) => Object.assign(request.responseHeaders, costHeaders(cost)),
      onProblem: (problem) => {
        onFailed(problem.code);
        if (isServerFault(problem))
          log.error(
            { err: problem.cause, code: problem.code, ...logFields(request) },
            'Tool call failed. If the code is internal, report it with the stack trace.',
          );
      },
    };
  }
}

/** Identifies a call of a client with a session id; undefined without one. */
function callId({ account, request }: AuthenticatedRequest, id: Message['id']): string | undefined {
  const session = request.headers['mcp-session-id'];
  if (session === undefined || id === undefined) return undefined;
  return JSON.stringify([account, session, id]);
}

const json = 'application/json';

/**
 * Converts a request to the form that the SDK reads: its MCP headers and a signal, but no body,
 * which has been parsed already.
 */
function webRequest({ request, path }: HttpRequestContext, signal: AbortSignal): Request {
  // The SDK requires clients to accept both, but several accept only one.
  const accept = `${json}, ${eventStream}`;
  const headers = new Headers({ 'content-type': json, accept });
  for (const [name, value] of Object.entries(request.headers))
    if (name.startsWith('mcp-') && typeof value === 'string') headers.set(name, value);
  return new Request(new URL(path, 'http://gateway.invalid'), { method: 'POST', headers, signal });
}

/**
 * Converts a response of the SDK, a stream to its last message unless the client accepts streams.
 * Throws `internal` for a server error, which is logged and rendered like every other.
 */
async function httpResponse(
  response: Response,
  acceptsStream: boolean,
  reading: Reading,
): Promise<HttpResponse> {
  const { status, headers, body } = response;
  const contentType = headers.get('content-type');
  if (status >= 500)
    throw new Problem('internal', 'Internal error. Try again later.', {
      cause: new Error(await response.text()),
    });

  const caching = { 'cache-control': 'no-store' };
  if (!body || contentType === null) return { status, headers: caching };

  if (contentType.startsWith(eventStream) && !acceptsStream) {
    const messages = (await response.text()).matchAll(/^data: (.+)$/gm);
    return {
      status,
      headers: { 'content-type': json, ...caching },
      body: Array.from(messages).at(-1)?.[1] ?? '',
    };
  }

  if (contentType.startsWith(eventStream))
    return {
      status,
      headers: { 'content-type': contentType, ...caching, 'x-accel-buffering': 'no' },
      body: reading.textOf(body),
    };

  return {
    status,
    headers: { 'content-type': contentType, ...caching },
    body: await response.text(),
    ...(status >= 400 && { code: 'invalid_body' }),
  };
}

/** How far the client has read a stream of the SDK, which keeps whatever is not read. */
class Reading {
  #hasRead = Promise.withResolvers<void>();
  #isRead = false;

  /** Resolves when everything is read, or the stream has ended. */
  async whenRead(): Promise<void> {
    if (!this.#isRead) await this.#hasRead.promise;
  }

  /** Yields a stream as text. Ending it early cancels the stream. */
  async *textOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, void, void> {
    const decoder = new TextDecoder();
    const chunks = stream.values();
    try {
      for (;;) {
        const next = chunks.next();
        // Comes first only if there is nothing to read.
        const idle = setImmediate(() => this.#setRead());
        const { done, value } = await next;
        clearImmediate(idle);
        if (done) return;

        this.#isRead = false;
        yield decoder.decode(value, { stream: true });
      }
    } finally {
      this.#setRead();
      await chunks.return?.();
    }
  }

  #setRead(): void {
    this.#isRead = true;
    this.#hasRead.resolve();
    this.#hasRead = Promise.withResolvers();
  }
}
