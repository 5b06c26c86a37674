import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.ts';
import { atMost } from '../shared/lru.ts';
import { respondToName } from './registration.ts';
import {
  sandboxNotice,
  rdap,
  rdapError,
  type SandboxServices,
  type SandboxResponse,
} from './responses.ts';
import { isReverseName } from '../domain/names/reverse-zone.ts';
import { respondToObject, isTestName } from './objects.ts';

/** Starts the built-in RDAP server for `.test` on a free loopback port. */
export async function startSandbox(clock: Clock) {
  const { createServer } = process.getBuiltinModule('node:http'); // as in `http-server.ts`
  const server = createServer().listen({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');

  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const services: SandboxServices = { clock, baseUrl, isBusy: createBusyCheck(clock) };
  server.on('request', (request, response) => void respond(request, response, services));

  return { baseUrl, close: () => closeServer(server) };
}

/** Closes a server and all connections, including those of hanging requests. May be called twice. */
export async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  services: SandboxServices,
): Promise<void> {
  const { status, body, headers } = await responseTo(request, services);
  response
    .writeHead(status, {
      'content-length': Buffer.byteLength(body),
      date: new Date(services.clock.now()).toUTCString(),
      ...headers,
    })
    .end(body);
}

function responseTo(
  { method, url = '' }: IncomingMessage,
  services: SandboxServices,
): SandboxResponse | Promise<SandboxResponse> {
  if (method !== 'GET' && method !== 'HEAD') return unknownPath();
  if (url === '/help')
    return rdap(200, { rdapConformance: ['rdap_level_0', 'redacted'], notices: [sandboxNotice] });

  const [, name] = /^\/domain\/([^/?]+)$/.exec(url) ?? [];
  if (name === undefined || isReverseName(name))
    return respondToObject(url, services) ?? unknownPath();

  // A 404 would mean that the name is unregistered, so an invalid name is a 400.
  if (!isTestName(name))
    return rdapError(400, 'Bad Request', 'Only A-label names under .test are supported.');

  return respondToName(name.toLowerCase(), services);
}

function unknownPath(): SandboxResponse {
  return rdapError(
    404,
    'Not Found',
    'Use /domain/{name}, /ip/{address}, /autnum/{number}, /entity/{handle}, /nameserver/{name} or /help.',
  );
}

/**
 * Creates a check that returns true for the first request for a name in ten seconds. It tracks at
 * most 1,000 names; the oldest are dropped.
 */
export function createBusyCheck(clock: Clock): (name: string) => boolean {
  const requested = new LRUCache<string, true>({
    ...atMost(1_000),
    // An entry is stale when its age exceeds the TTL.
    ttl: 10_000 - 1,
    ttlResolution: 0,
    perf: clock,
  });
  return (name) => {
    if (requested.has(name)) return false;
    requested.set(name, true);
    return true;
  };
}
