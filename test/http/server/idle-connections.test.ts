import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { startGateway } from '../../support/gateway.ts';

it(
  'a connection on which nothing was asked does not hold up the stop',
  { timeout: 8000 },
  async () => {
    const gateway = await startGateway();
    const { hostname, port } = new URL(gateway.url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    await gateway.get('/health'); // by now the gateway knows of both connections
    const closed = once(socket, 'close');
    await gateway[Symbol.asyncDispose]();
    expect(await closed).toEqual([false]);
  },
);
