import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Log } from '../log.ts';
import { problems, type Problem } from '../problems.ts';
import type { Call, Reply } from './call.ts';
import { asProblem } from './problem.ts';
import { sendReply } from './send.ts';

export interface Door {
  /** Answers a call. May throw; what it throws is rendered by `refuse`. */
  answer(call: Call): Reply | Promise<Reply>;
  refuse(problem: Problem, call: Call): Reply;
  /** Headers that every answer carries. */
  headers(request: IncomingMessage): Record<string, string>;
}

export interface HttpServer {
  /** Listens; resolves to the address that was taken. */
  listen(host: string, port: number): Promise<AddressInfo>;
  /** Stops accepting, lets what is in flight finish, and after `graceMs` cuts what has not. */
  stop(graceMs: number): Promise<void>;
}

/** The HTTP server in front of all doors: request ids, common headers, and the one place where a failure becomes an answer. */
export function createHttpServer(door: Door, log: Log): HttpServer {
  let stopping = false;
  const server = createServer((request, response) => void serve(request, response));

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const left = new AbortController();
    response.once('close', () => left.abort());
    const call = readCall(request, left.signal);
    const reply = await answerOrRefuse(call);
    const closing = stopping ? { connection: 'close' } : {};
    await sendReply(
      response,
      { ...reply, headers: { ...door.headers(request), 'x-request-id': call.requestId, ...reply.headers, ...closing } },
      call,
    );
  }

  async function answerOrRefuse(call: Call): Promise<Reply> {
    try {
      return await door.answer(call);
    } catch (error) {
      const problem = asProblem(error);
      const { status } = problems[problem.code];
      if (status === 500) log.error({ err: problem.cause, requestId: call.requestId, path: call.path }, 'the gateway failed');
      return door.refuse(problem, call);
    }
  }

  return {
    async listen(host, port) {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen({ host, port }, () => {
          server.off('error', reject);
          resolve();
        });
      });
      return server.address() as AddressInfo;
    },
    async stop(graceMs) {
      stopping = true;
      await drained(server, graceMs);
    },
  };
}

/** Never rejects. */
async function drained(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(cut);
}

function readCall(request: IncomingMessage, signal: AbortSignal): Call {
  // Nothing is built from Host: the origin here is only there to make the target readable.
  const target = URL.canParse(request.url ?? '', 'http://gateway.invalid')
    ? new URL(request.url ?? '', 'http://gateway.invalid')
    : undefined;
  return {
    request,
    method: request.method === 'HEAD' ? 'GET' : (request.method ?? ''),
    path: target?.pathname ?? '',
    query: target?.searchParams ?? new URLSearchParams(),
    requestId: randomUUID(),
    signal,
    account: request.socket.remoteAddress ?? '',
  };
}
