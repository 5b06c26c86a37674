import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { maxConnectionsFor } from '../../src/server/connections.ts';
import { bootstrapOf, writeBootstrap } from '../support/servers/fake-bootstrap.ts';
import { loopback, openFrom } from '../support/requests/in-flight.ts';
import { startCommand } from '../support/gateways/gateway-process.ts';
import { sendRaw } from '../support/requests/raw-http.ts';

const root = join(import.meta.dirname, '../..');
const health = 'GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';

/** Starts the gateway like `npm start`, in a process with a limit of 1,024 open files. */
async function start() {
  await using parts = new AsyncDisposableStack();
  const file = parts.use(await writeBootstrap(bootstrapOf({ unqueried: 'https://rdap.invalid/' })));
  const [, ...args] = packageJson.scripts.start.split(' ');
  const limited = ['-c', 'ulimit -n 1024 && exec "$0" "$@"', process.execPath, ...args];
  const settings = { PORT: '0', STORE_URL: 'memory:', RDAP_BOOTSTRAP_URL: file.url };
  const gateway = parts.use(startCommand('/bin/sh', limited, { cwd: root, env: settings }));
  const { url } = await gateway.logged('listening');
  const running = parts.move();
  return {
    url: String(url),
    logged: gateway.logged,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

it.each([
  [Infinity, 10_000],
  [20_000, 10_000],
  [10_500, 10_000],
  [10_499, 9_999],
  [1_024, 524],
  [256, 128],
])('a limit of %d open files allows %d connections', (limit, connections) => {
  expect(maxConnectionsFor(limit)).toBe(connections);
});

describe.skipIf(process.platform !== 'linux')(
  'a process with a limit of 1,024 open files',
  { timeout: 30_000 },
  () => {
    it('serves other clients while one address opens more connections than that', async () => {
      await using gateway = await start();
      expect(
        await gateway.logged(({ msg }) => String(msg).startsWith('Open file limit')),
      ).toMatchObject({
        level: 'warn',
        msg: 'Open file limit is 1024: at most 524 connections are accepted. Raise it (LimitNOFILE, ulimit -n).',
      });
      const sockets = await openFrom(gateway, loopback(1), 1050);
      expect((await sendRaw(gateway.url, health, loopback(2))).slice(9, 12)).toBe('200');
      for (const socket of sockets) socket.destroy();
    });
  },
);
