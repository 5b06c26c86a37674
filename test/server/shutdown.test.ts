import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { defaultTimeouts } from '../../src/server/send-response.ts';
import { startFakeRegistry } from '../support/servers/fake-registry.ts';
import { startGateway, type Gateway } from '../support/gateways/gateway.ts';
import { sendRaw } from '../support/requests/raw-http.ts';
import { registered } from '../support/bodies/replies.ts';
import { paused } from '../support/bodies/scripts.ts';

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
const health = get('/health');

function open({ url }: Gateway, allowHalfOpen = false): Socket {
  const { hostname, port } = new URL(url);
  return connect({ port: Number(port), host: hostname, allowHalfOpen });
}

it('answers every request sent before the stop, even on connections not yet accepted', async () => {
  const gateway = await startGateway();
  // The kernel accepts them immediately. The gateway runs in this process and has had no time to.
  const responses = Array.from({ length: 300 }, () => sendRaw(gateway.url, health));
  await gateway[Symbol.asyncDispose]();
  const heads = (await Promise.all(responses)).map((response) => [
    response.split('\r\n', 1)[0],
    response.includes('connection: close'),
  ]);
  expect(heads).toEqual(heads.map(() => ['HTTP/1.1 200 OK', true]));
});

it('answers the next request on an open connection, and then closes the connection', async () => {
  const gateway = await startGateway({ timeouts: { ...defaultTimeouts, drainTimeoutMs: 60_000 } });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const connectionHeader = async () => {
    const [response] = (await once(
      request(`${gateway.url}/health`, { agent }).end(),
      'response',
    )) as [IncomingMessage];
    await text(response);
    return response.headers.connection;
  };
  expect(await connectionHeader()).toBe('keep-alive');
  const stopped = gateway[Symbol.asyncDispose]();
  expect(await connectionHeader()).toBe('close');
  await stopped;
});

it('does not reset a connection whose client sends requests while it is closed', async () => {
  const gateway = await startGateway();
  const socket = open(gateway, true);
  socket.resume();
  await once(socket, 'connect');
  await gateway.get('/health'); // the gateway has accepted both connections by now
  const stopped = gateway[Symbol.asyncDispose]();
  await once(socket, 'end');
  const closed = once(socket, 'close');
  for (let times = 0; times < 10; times++) {
    socket.write(health);
    await new Promise((resolve) => setImmediate(resolve));
  }
  socket.end();
  // `once` rejects if the connection was reset.
  expect(await closed).toEqual([false]);
  await stopped;
});

it(
  'stops even if a client does not close its side of the connection',
  { timeout: 8000 },
  async () => {
    const gateway = await startGateway({
      timeouts: { ...defaultTimeouts, drainTimeoutMs: 0, closeTimeoutMs: 10 },
    });
    const socket = open(gateway, true);
    socket.resume();
    await once(socket, 'connect');
    await gateway.get('/health');
    await gateway[Symbol.asyncDispose]();
    socket.destroy();
  },
);

it('answers every pipelined request', async () => {
  const registry = await startFakeRegistry();
  const reply = paused(({ name }) => registered(name));
  registry.on('paused.example', reply);
  const gateway = await startGateway({ registries: { example: registry.baseUrl } });
  const socket = open(gateway);
  socket.write(get('/v1/status?domain=paused.example') + health.repeat(5));
  const received = text(socket);
  await registry.whenRequested('paused.example');
  const stopped = gateway[Symbol.asyncDispose]();
  reply.release();
  expect((await received).match(/HTTP\/1\.1 200 OK/g)).toHaveLength(6);
  await stopped;
  await registry.close();
});
