import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { defaultTimeouts } from '../../../src/http/server/timeouts.ts';
import { startFakeRegistry } from '../../support/fake-registry.ts';
import { startGateway, type Gateway } from '../../support/gateway.ts';
import { sendRaw } from '../../support/raw-http.ts';
import { registered } from '../../support/replies.ts';
import { paused } from '../../support/scripts.ts';

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
const health = get('/health');

function open({ url }: Gateway, allowHalfOpen = false): Socket {
  const { hostname, port } = new URL(url);
  return connect({ port: Number(port), host: hostname, allowHalfOpen });
}

it('a gateway that stops answers every request that was sent before, on connections that it has not accepted yet too', async () => {
  const gateway = await startGateway();
  // The system accepts them at once. The gateway runs in this process, and has had no time to.
  const answers = Array.from({ length: 300 }, () => sendRaw(gateway.url, health));
  await gateway[Symbol.asyncDispose]();
  const heads = (await Promise.all(answers)).map((answer) => [
    answer.split('\r\n', 1)[0],
    answer.includes('connection: close'),
  ]);
  expect(heads).toEqual(heads.map(() => ['HTTP/1.1 200 OK', true]));
});

it('the next request on an open connection is answered, and its response closes the connection', async () => {
  const gateway = await startGateway({
    timeouts: { ...defaultTimeouts, drainTimeoutMs: 60_000 },
  });
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

it('a request that crosses the end of its connection is not reset', async () => {
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
  // `once` rejects where the connection was reset.
  expect(await closed).toEqual([false]);
  await stopped;
});

it('a client that never closes its side does not hold up the stop', { timeout: 8000 }, async () => {
  const gateway = await startGateway({
    timeouts: { ...defaultTimeouts, drainTimeoutMs: 0, closeTimeoutMs: 10 },
  });
  const socket = open(gateway, true);
  socket.resume();
  await once(socket, 'connect');
  await gateway.get('/health');
  await gateway[Symbol.asyncDispose]();
  socket.destroy();
});

it('every pipelined request is answered', async () => {
  const registry = await startFakeRegistry();
  const reply = paused(({ name }) => registered(name));
  registry.on('held.example', reply);
  const gateway = await startGateway({ registries: { example: registry.baseUrl } });
  const socket = open(gateway);
  socket.write(get('/v1/status?domain=held.example') + health.repeat(5));
  const answers = text(socket);
  await registry.whenAsked('held.example');
  const stopped = gateway[Symbol.asyncDispose]();
  reply.release();
  expect((await answers).match(/HTTP\/1\.1 200 OK/g)).toHaveLength(6);
  await stopped;
  await registry.close();
});
