import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exchange } from '../../src/outbound/exchange.ts';
import type { Dispatcher } from 'undici';
import { createDispatcher, ephemeralKeepAliveMs } from '../../src/outbound/dispatcher.ts';

const hosts = Array.from({ length: 100 }, (_, index) => `127.7.0.${index}`);
const options = {
  allowPrivate: true,
  connections: 8,
  connectTimeoutMs: 60_000,
  keepAliveMs: ephemeralKeepAliveMs,
};

let server: Server;
let open: number;
let accepted: number;
let sockets: Dispatcher;
beforeEach(async () => {
  [open, accepted] = [0, 0];
  // Its Keep-Alive header allows ten minutes.
  server = createServer({ keepAliveTimeout: 600_000 }, (_request, response) => response.end('{}'));
  server.on('connection', (socket) => {
    open += 1;
    accepted += 1;
    socket.on('close', () => (open -= 1));
  });
  server.listen(0, '0.0.0.0');
  await once(server, 'listening');
  sockets = createDispatcher(options);
});
afterEach(async () => {
  await sockets.destroy();
  server.closeAllConnections();
  server.close();
});

async function get(host: string): Promise<number> {
  const url = new URL(`http://${host}:${(server.address() as AddressInfo).port}/`);
  return (await exchange({ dispatcher: sockets, url, headers: {}, timeoutMs: 60_000 })).status;
}

describe('connections to hosts that are contacted once', () => {
  it('are closed after some seconds, whatever the server allows', async () => {
    for (const host of hosts) expect(await get(host)).toBe(200);
    expect(accepted).toBe(hosts.length);
    await expect.poll(() => open).toBe(0);
  });

  it('are opened again after they were closed', async () => {
    expect(await get('127.7.0.1')).toBe(200);
    await expect.poll(() => open).toBe(0);
    expect(await get('127.7.0.1')).toBe(200);
    expect(accepted).toBe(2);
  });

  it('are reused while they are open', async () => {
    for (let times = 0; times < 5; times += 1) await get('127.7.0.1');
    // A request that directly follows a response may still find its connection in use.
    expect(accepted).toBeLessThanOrEqual(2);
  });

  it('that are refused cause an error, and can be retried', async () => {
    const url = new URL('http://127.7.0.1:1/');
    for (let times = 0; times < 2; times += 1) {
      await expect(
        exchange({ dispatcher: sockets, url, headers: {}, timeoutMs: 60_000 }),
      ).rejects.toThrow('ECONNREFUSED');
    }
  });
});
