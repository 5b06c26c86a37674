import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exchange } from '../../src/outbound/exchange.ts';
import { EphemeralPools } from '../../src/outbound/ephemeral-pools.ts';

const maxIdle = 64;
const hosts = Array.from({ length: 300 }, (_, index) => `127.7.${index >> 8}.${index & 255}`);
const options = { allowPrivate: true, connections: 8, connectTimeoutMs: 60_000 };

let server: Server;
let open: number;
let peak: number;
let accepted: number;
let pools: EphemeralPools;
beforeEach(async () => {
  [open, peak, accepted] = [0, 0, 0];
  // Its Keep-Alive header allows ten minutes.
  server = createServer({ keepAliveTimeout: 600_000 }, (_request, response) => response.end('{}'));
  server.on('connection', (socket) => {
    open += 1;
    accepted += 1;
    peak = Math.max(peak, open);
    socket.on('close', () => (open -= 1));
  });
  server.listen(0, '0.0.0.0');
  await once(server, 'listening');
  pools = new EphemeralPools(options);
});
afterEach(async () => {
  await pools.destroy();
  server.closeAllConnections();
  server.close();
});

async function get(host: string): Promise<number> {
  const url = new URL(`http://${host}:${(server.address() as AddressInfo).port}/`);
  return (await exchange({ dispatcher: pools, url, headers: {}, timeoutMs: 60_000 })).status;
}

describe('connections to hosts that are contacted once', () => {
  it(
    'never exceed the limit of idle connections, and are closed after some seconds',
    { timeout: 60_000 },
    async () => {
      for (const host of hosts) expect(await get(host)).toBe(200);
      expect(accepted).toBe(hosts.length);
      // One more may be opened before the server has seen the end of the one that makes room for
      // it.
      expect(peak).toBeLessThanOrEqual(maxIdle + 4);
      await expect.poll(() => open, { timeout: 20_000 }).toBe(0);
    },
  );

  it('are closed down to the limit when many requests end', { timeout: 60_000 }, async () => {
    await Promise.all(hosts.map(get));
    await expect.poll(() => open, { timeout: 4000 }).toBeLessThanOrEqual(maxIdle);
  });

  it('are reused while they are open', async () => {
    for (let times = 0; times < 5; times += 1) await get('127.7.0.1');
    // A request that directly follows a response may still find its connection in use.
    expect(accepted).toBeLessThanOrEqual(2);
  });

  it('are reopened after they were closed because of the limit', async () => {
    for (const host of [...hosts.slice(0, 100), ...hosts.slice(0, 100)])
      expect(await get(host)).toBe(200);
    expect(accepted).toBe(200);
  });

  it('that are refused cause an error, and can be retried', async () => {
    const url = new URL('http://127.7.0.1:1/');
    for (let times = 0; times < 2; times += 1) {
      await expect(
        exchange({ dispatcher: pools, url, headers: {}, timeoutMs: 60_000 }),
      ).rejects.toThrow('ECONNREFUSED');
    }
  });
});
