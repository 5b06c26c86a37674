import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { startGateway } from '../support/gateways/gateway.ts';

it('stops while a connection without any request is open', { timeout: 8000 }, async () => {
  const gateway = await startGateway();
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  await gateway.get('/health'); // the gateway has accepted both connections by now
  const closed = once(socket, 'close');
  await gateway[Symbol.asyncDispose]();
  expect(await closed).toEqual([false]);
});
