import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { forThisTest } from '../support/for-this-test.ts';
import { domainObject } from '../support/bodies/domain-object.ts';
import { startGateway, type Gateway } from '../support/gateways/gateway.ts';
import { rdapJson } from '../support/bodies/replies.ts';

/** A registry that writes bytes to its sockets. */
interface RawRegistry extends AsyncDisposable {
  readonly baseUrl: string;
}

/** Responds to a request. `index` is its number on the connection. */
type Send = (socket: Socket, name: string, index: number) => void;

async function startRawRegistry(send: Send): Promise<RawRegistry> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    let received = '';
    let index = 0;
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
      for (let end = received.indexOf('\r\n\r\n'); end >= 0; end = received.indexOf('\r\n\r\n')) {
        const [, name = ''] = /^GET \/domain\/(\S+)/.exec(received) ?? [];
        received = received.slice(end + 4);
        if (name.startsWith('nic.')) socket.write(found(name));
        else send(socket, name, index);
        index += 1;
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

const response = (status: string, body: string, length = `Content-Length: ${body.length}\r\n`) =>
  `HTTP/1.1 ${status}\r\nContent-Type: ${rdapJson}\r\n${length}\r\n${body}`;
const found = (name: string) => response('200 OK', JSON.stringify(domainObject(name)));
const notFound = response('404 Not Found', JSON.stringify({ errorCode: 404, title: 'Not Found' }));

async function open(send: Send, concurrency = '1'): Promise<Gateway> {
  const registry = await forThisTest(startRawRegistry, send);
  return forThisTest(startGateway, {
    registries: { aa: registry.baseUrl },
    env: { RDAP_CONCURRENCY: concurrency, RDAP_RATE: '0' },
  });
}

const statusOf = async (gateway: Gateway, name: string) =>
  (await gateway.get(`/v1/status?domain=${name}&max_age=0`)).results[0];

describe('a 404 without a body', () => {
  const head = `HTTP/1.1 404 Not Found\r\nContent-Type: ${rdapJson}\r\n`;
  it.each<[string, Send, boolean | null]>([
    ['with a length of 0', (socket) => void socket.write(`${head}Content-Length: 0\r\n\r\n`), true],
    [
      'with chunked encoding and a last chunk',
      (socket) => void socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`),
      true,
    ],
    [
      'with chunked encoding but no last chunk',
      (socket) => void socket.end(`${head}Transfer-Encoding: chunked\r\n\r\n`),
      null,
    ],
    ...['identity', 'gzip', 'chunked, gzip'].map((codings): [string, Send, null] => [
      `whose transfer encoding is ${codings}`,
      (socket) => void socket.end(`${head}Transfer-Encoding: ${codings}\r\n\r\n`),
      null,
    ]),
    [
      'with a length of more bytes than are sent',
      (socket) => void socket.end(`${head}Content-Length: 60\r\n\r\n`),
      null,
    ],
    ['that ends with the connection', (socket) => void socket.end(`${head}\r\n`), null],
    [
      'that ends with the connection, after Connection: close',
      (socket) => void socket.end(`${head}Connection: close\r\n\r\n`),
      null,
    ],
    ['over HTTP/1.0', (socket) => void socket.end(`${head.replace('1.1', '1.0')}\r\n`), null],
    [
      'whose connection is reset after the headers',
      (socket) =>
        void socket.write(`${head}Connection: close\r\n\r\n`, () =>
          setImmediate(() => socket.resetAndDestroy()),
        ),
      null,
    ],
  ])('%s is trusted only if its end is marked', async (_case, send, available) => {
    expect(await statusOf(await open(send), 'free.aa')).toMatchObject({ available });
  });
});

const correctResponse = (name: string) => (name.startsWith('taken') ? found(name) : notFound);

describe('a surplus response on a connection', () => {
  it.each<[string, (socket: Socket) => void]>([
    ['in the same packet', () => {}],
    ['directly after the first', (socket) => setImmediate(() => socket.write(notFound))],
  ])('%s does not become the response to the next request', async (timing, sendSurplus) => {
    const gateway = await open((socket, name) => {
      const rightResponse = correctResponse(name);
      socket.write(timing === 'in the same packet' ? rightResponse + notFound : rightResponse);
      sendSurplus(socket);
    });
    for (let round = 0; round < 20; round += 1) {
      const { available } = await statusOf(gateway, `taken${round}.aa`);
      expect(available, `round ${round}`).not.toBe(true);
    }
  });

  it('during the next request is discarded when the actual response to that request arrives', async () => {
    const isAnswered = Promise.withResolvers<void>();
    const gateway = await open(async (socket, name) => {
      if (name === 'taken.aa' && !isSent) {
        isSent = true;
        // No client can know that this is not the response to its request.
        socket.write(notFound);
        await isAnswered.promise;
      }
      if (socket.writable) socket.write(correctResponse(name));
    });
    let isSent = false;
    await statusOf(gateway, 'first.aa');

    expect(await statusOf(gateway, 'taken.aa')).toMatchObject({ available: true });
    isAnswered.resolve();

    const cached = async () =>
      (await gateway.get('/v1/status?domain=taken.aa&max_age=3600')).results[0];
    await expect
      .poll(cached, { timeout: 5000 })
      .toMatchObject({ available: false, status: 'registered' });
  });
});
