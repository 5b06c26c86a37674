import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFakeRegistry, type FakeRegistry } from '../../support/fake-registry.ts';
import { startGateway, type Gateway } from '../../support/gateway.ts';
import { memoryLog } from '../../support/memory-log.ts';
import { expectProblem } from '../../support/problems.ts';
import { parseResponse } from '../../support/raw-http.ts';
import { registered } from '../../support/replies.ts';

const { log, lines } = memoryLog();
let registry: FakeRegistry;
let gateway: Gateway;

beforeAll(async () => {
  registry = await startFakeRegistry();
  // 25 of them are more than the sockets of both sides hold.
  registry.fallback(({ name }) => registered(name, { members: { lang: 'x'.repeat(900_000) } }));
  gateway = await startGateway({
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
});

afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await registry.close();
});

interface SlowClient extends Disposable {
  readonly socket: Socket;
  /** What has come so far. */
  received(): string;
  readonly closed: Promise<unknown>;
}

async function openClient(...written: readonly string[]): Promise<SlowClient> {
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', () => undefined); // whoever is shed may be cut off
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

/** Others come and are answered for as long as this holds; returns how many. */
async function othersServedWhile(holds: () => boolean): Promise<number> {
  let served = 0;
  while (holds()) {
    expect((await gateway.get('/v1/status?domain=taken.test')).results).toMatchObject([
      { available: false },
    ]);
    served += 1;
  }
  return served;
}

const post =
  'POST /v1/status/bulk HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';

describe('who sends a request bit by bit', () => {
  it.each([
    ['its head', 'GET /health HTTP/1.1\r\nHost: localhost\r\n', 'X'],
    ['its target', 'GET /health?', 'x'],
    ['its body', `${post}Content-Length: 60000\r\n\r\n`, ' '],
    ['its chunked body', `${post}Transfer-Encoding: chunked\r\n\r\n`, '1\r\n \r\n'],
    ['nothing after a first line', 'GET /health HTTP/1.1\r\n', ''],
  ])('is told so and shed, while others are served: %s', async (_what, start, drip) => {
    using client = await openClient(start);
    const { socket } = client;
    const served = await othersServedWhile(
      () => !socket.readableEnded && !socket.destroyed && socket.write(drip),
    );
    expect(served).toBeGreaterThan(0);
    const answer = parseResponse(client.received());
    expect(answer.headers.get('connection')).toBe('close');
    await expectProblem(answer, 'request_timeout', { instance: '' });
  });

  it('is shed when it sends nothing at all', async () => {
    using client = await openClient();
    await client.closed;
    await expectProblem(parseResponse(client.received()), 'request_timeout', { instance: '' });
  });

  it('does not hold up others however many there are', async () => {
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
const cutOff = () =>
  lines.filter(({ msg }) => msg === 'an answer was cut off: its reader was too slow');

describe('who does not read', () => {
  it.each([
    ['an answer in one piece', graphql(`{ domains${query} }`, 'application/json')],
    ['a stream of events', graphql(`subscription { availability${query} }`, 'text/event-stream')],
    [
      'deferred parts',
      graphql(
        `{ domains(domains: ${JSON.stringify(names)}) { ... @defer { rdap { raw } } } }`,
        'multipart/mixed',
      ),
    ],
  ])('is cut off, while others are served: %s', async (_what, request) => {
    const before = cutOff().length;
    using client = await openClient(request);
    client.socket.pause();
    expect(await othersServedWhile(() => cutOff().length === before)).toBeGreaterThan(0);
    expect(cutOff().at(-1)).toMatchObject({ path: '/graphql', requestId: expect.any(String) });
    client.socket.resume();
    await client.closed;
    expect(client.received()).not.toMatch(/(?:\]\}\}|event: complete\s+data:\s+|-----\r\n)$/);
  });

  it('is cut off too when it reads a little now and then', async () => {
    const before = cutOff().length;
    using client = await openClient(graphql(`{ domains${query} }`, 'application/json'));
    client.socket.pause();
    await othersServedWhile(() => {
      client.socket.read(100);
      return cutOff().length === before;
    });
    expect(cutOff()).toHaveLength(before + 1);
  });

  it('may keep still for as long as nothing is sent', async () => {
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
