import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../clock.ts';
import { sandboxResponder } from './registration.ts';
import type { SandboxServices } from './faults.ts';
import { sandboxNotice, rdap, rdapError, type SandboxResponse } from './responses.ts';
import { respondToObject } from './responder.ts';
import { isTestName } from './is-sandbox-object.ts';

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
  const { createServer } = process.getBuiltinModule('node:http'); // as in `http-server.ts`
  const server = createServer().listen({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const services: SandboxServices = { clock, baseUrl, isBusy: createBusyCheck(clock) };
  const respondTo = router(services);
  server.on('request', (request, response) => void respond(request, response, respondTo, clock));
  return {
    baseUrl,
    close: () => closeServer(server),
  };
}

/** Closes a server and all its connections. May be called twice. */
export async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

type Router = (request: IncomingMessage) => SandboxResponse | Promise<SandboxResponse>;

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  respondTo: Router,
  clock: Clock,
): Promise<void> {
  const { status, body, headers } = await respondTo(request);
  response
    .writeHead(status, {
      'content-length': Buffer.byteLength(body),
      date: new Date(clock.now()).toUTCString(),
      ...headers,
    })
    .end(body);
}

function router(services: SandboxServices): Router {
  const respondToName = sandboxResponder(services);
  return ({ method, url = '' }) => {
    const isRead = method === 'GET' || method === 'HEAD';
    if (!isRead) return unknownPath();
    if (url === '/help')
      return rdap(200, { rdapConformance: ['rdap_level_0', 'redacted'], notices: [sandboxNotice] });
    const [, name] = /^\/domain\/([^/?]+)$/.exec(url) ?? [];
    if (name === undefined) return respondToObject(url, services) ?? unknownPath();
    // A 404 would mean that the name is unregistered, so an invalid name is a 400.
    if (!isTestName(name))
      return rdapError(400, 'Bad Request', 'Only A-label names under .test are supported.');
    return respondToName(name.toLowerCase());
  };
}

function unknownPath(): SandboxResponse {
  return rdapError(
    404,
    'Not Found',
    'Use /domain/{name}, /ip/{address}, /autnum/{number}, /entity/{handle}, /nameserver/{name} or /help.',
  );
}

const windowMs = 10_000;
const maxNames = 1_000;

/**
 * Creates a check that returns true for the first request for a name in ten seconds. It tracks at
 * most 1,000 names; the oldest are dropped.
 */
export function createBusyCheck(clock: Clock): (name: string) => boolean {
  const firstRequestedAt = new Map<string, number>();
  return (name) => {
    const now = clock.now();
    const first = firstRequestedAt.get(name);
    if (first !== undefined && now - first < windowMs) return false;
    // Deleted first, so that the map is ordered by age.
    firstRequestedAt.delete(name);
    firstRequestedAt.set(name, now);
    for (const [oldest, at] of firstRequestedAt) {
      if (firstRequestedAt.size <= maxNames && now - at < windowMs) break;
      firstRequestedAt.delete(oldest);
    }
    return true;
  };
}
