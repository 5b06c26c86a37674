import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { startFakeRegistry } from '../support/servers/fake-registry.ts';
import { forThisFile } from '../support/for-this-file.ts';
import { startGateway, type Json } from '../support/gateways/gateway.ts';
import { memoryLog } from '../support/checks/memory-log.ts';
import { expectProblem } from '../support/checks/problems.ts';
import { parseResponse } from '../support/requests/raw-http.ts';
import { registered } from '../support/bodies/replies.ts';

const { log, lines } = memoryLog();

const registry = await forThisFile(startFakeRegistry);
// 25 of them exceed the socket buffers of both sides.
registry.fallback(({ name }) => registered(name, { members: { lang: 'x'.repeat(900_000) } }));
const gateway = await forThisFile(startGateway, {
  registries: { example: registry.baseUrl },
  env: { RATE_LIMIT: '0', RDAP_RATE: '0' },
  log,
  timeouts: {
    headersTimeout: 400,
    requestTimeout: 800,
    keepAliveTimeout: 5000,
    connectionsCheckingInterval: 20,
    readTimeoutMs: 400,
    minBytesPerMs: 1_000_000,
    totalReadTimeoutMs: 10_000,
    maxUnreadBytes: 1_000_000_000,
    drainTimeoutMs: 0,
    closeTimeoutMs: 1000,
  },
});

interface SlowClient extends Disposable {
  readonly socket: Socket;
  /** Returns the data received so far. */
  received(): string;
  readonly closed: Promise<unknown>;
}

async function openClient(...written: readonly string[]): Promise<SlowClient> {
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', () => undefined); // the gateway may reset the connection
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await once(socket, 'connect');
  for (const text of written) socket.write(text);
  return {
    socket,
    closed,
    received: () => Buffer.concat(chunks).toString(),
    [Symbol.dispose]: () => socket.destroy(),
  };
}

/**
 * Sends requests of other clients while `condition` holds. Returns how many were served: on a busy
 * machine, the gateway sheds some.
 */
async function othersServedWhile(condition: () => boolean): Promise<number> {
  let served = 0;
  while (condition()) {
    const response = await gateway.fetch('/v1/status?domain=taken.test');
    const body = (await response.json()) as Json;
    if (response.status === 503 && body.code === 'overloaded') continue;
    expect(body.results).toMatchObject([{ available: false }]);
    served += 1;
  }
  return served;
}

const post =
  'POST /v1/status/bulk HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';

describe('a client that sends a request slowly', () => {
  it.each([
    ['a few headers', 'GET /health HTTP/1.1\r\nHost: localhost\r\n', 'X'],
    ['a long target', 'GET /health?', 'x'],
    ['a body', `${post}Content-Length: 60000\r\n\r\n`, ' '],
    ['a chunked body', `${post}Transfer-Encoding: chunked\r\n\r\n`, '1\r\n \r\n'],
    ['nothing after the request line', 'GET /health HTTP/1.1\r\n', ''],
  ])('gets a 408 and is disconnected while others are served: %s', async (_what, start, drip) => {
    using client = await openClient(start);
    const { socket } = client;
    const served = await othersServedWhile(
      () => !socket.readableEnded && !socket.destroyed && socket.write(drip),
    );
    expect(served).toBeGreaterThan(0);
    const response = parseResponse(client.received());
    expect(response.headers.get('connection')).toBe('close');
    await expectProblem(response, 'request_timeout', { instance: '' });
  });

  it('gets a 408 and is disconnected if it sends nothing', async () => {
    using client = await openClient();
    await client.closed;
    await expectProblem(parseResponse(client.received()), 'request_timeout', { instance: '' });
  });

  it('does not delay others, even if there are 300 of them', async () => {
    const clients = await Promise.all(
      Array.from({ length: 300 }, () => openClient('GET /health HTTP/1.1\r\nHost: localhost\r\n')),
    );
    expect(
      await othersServedWhile(() => clients.some(({ socket }) => !socket.destroyed)),
    ).toBeGreaterThan(0);
    for (const client of clients) expect(parseResponse(client.received()).status).toBe(408);
  });
});

const names = Array.from({ length: 25 }, (_, index) => `long${index}.example`);
const query = `(domains: ${JSON.stringify(names)}) { domain rdap { raw } }`;
const graphql = (document: string, accept: string) =>
  `GET /graphql?query=${encodeURIComponent(document)} HTTP/1.1\r\nHost: localhost\r\nAccept: ${accept}\r\n\r\n`;
const aborted = () => lines.filter(({ msg }) => msg === 'Response aborted: client too slow.');

describe('a client that does not read', () => {
  it.each([
    ['a buffered response', graphql(`{ domains${query} }`, 'application/json')],
    ['an event stream', graphql(`subscription { availability${query} }`, 'text/event-stream')],
    [
      'a deferred response',
      graphql(
        `{ domains(domains: ${JSON.stringify(names)}) { ... @defer { rdap { raw } } } }`,
        'multipart/mixed',
      ),
    ],
  ])('has its response aborted while others are served: %s', async (_what, request) => {
    const before = aborted().length;
    using client = await openClient(request);
    client.socket.pause();
    expect(await othersServedWhile(() => aborted().length === before)).toBeGreaterThan(0);
    expect(aborted().at(-1)).toMatchObject({ path: '/graphql', requestId: expect.any(String) });
    client.socket.resume();
    await client.closed;
    expect(client.received()).not.toMatch(/(?:\]\}\}|event: complete\s+data:\s+|-----\r\n)$/);
  });

  it('has its response aborted even if it reads a little now and then', async () => {
    const before = aborted().length;
    using client = await openClient(graphql(`{ domains${query} }`, 'application/json'));
    client.socket.pause();
    await othersServedWhile(() => {
      client.socket.read(100);
      return aborted().length === before;
    });
    expect(aborted()).toHaveLength(before + 1);
  });

  it('stays connected while nothing is sent to it', async () => {
    using client = await openClient(
      graphql(
        'subscription { availability(domains: ["slow.test"]) { available } }',
        'text/event-stream',
      ),
    );
    await othersServedWhile(() => !client.received().includes('event: complete'));
    expect(client.received()).toContain('"available":false');
  });
});
