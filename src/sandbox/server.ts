import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../clock.ts';
import { rdap, rdapError, sandboxResponder, type SandboxResponse } from './behaviours.ts';
import { sandboxNotice } from './registration.ts';

export interface Sandbox {
  /** `http://127.0.0.1:PORT/` */
  readonly baseUrl: string;
  /**
   * Closes the server and all connections, including those of hanging requests. May be called
   * twice.
   */
  close(): Promise<void>;
}

/** Starts the built-in RDAP server for `.test` on a free loopback port. */
export async function startSandbox(clock: Clock): Promise<Sandbox> {
  const server = createServer().listen({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const respondTo = sandboxResponder(clock, baseUrl);
  server.on('request', (request, response) => void respond(request, response, respondTo, clock));
  return {
    baseUrl,
    async close() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  respondTo: ReturnType<typeof sandboxResponder>,
  clock: Clock,
): Promise<void> {
  const { status, body, headers } = await route(request, respondTo);
  response
    .writeHead(status, {
      'content-length': Buffer.byteLength(body),
      date: new Date(clock.now()).toUTCString(),
      ...headers,
    })
    .end(body);
}

function route(
  { method, url = '' }: IncomingMessage,
  respondTo: ReturnType<typeof sandboxResponder>,
): SandboxResponse | Promise<SandboxResponse> {
  const isRead = method === 'GET' || method === 'HEAD';
  if (isRead && url === '/help')
    return rdap(200, { rdapConformance: ['rdap_level_0', 'redacted'], notices: [sandboxNotice] });
  const [, name] = /^\/domain\/([^/?]+)$/.exec(url) ?? [];
  if (!isRead || name === undefined)
    return rdapError(404, 'Not Found', 'Use /domain/{name} or /help.');
  // A 404 would mean that the name is unregistered, so an invalid name is a 400.
  if (!testNamePattern.test(name))
    return rdapError(400, 'Bad Request', 'Only A-label names under .test are supported.');
  return respondTo(name.toLowerCase());
}

const testNamePattern = /^(?:(?!-)[a-z0-9-]{1,63}(?<!-)\.)+test$/i;
