import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { startProcess } from '../support/gateways/gateway-process.ts';
import { bootstrapOf, writeBootstrap } from '../support/servers/fake-bootstrap.ts';

it('responses of registries in chunks of one byte take little memory', async () => {
  const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/rdap+json\r\n';
  const body = `${'1\r\n \r\n'.repeat(1_000_000)}0\r\n\r\n`;
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', () => socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n${body}`));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  await using stack = new AsyncDisposableStack();
  stack.defer(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const document = bootstrapOf({ example: `http://127.0.0.1:${port}/` });
  const bootstrap = stack.use(await writeBootstrap(document));
  const gateway = stack.use(
    startProcess({
      PORT: '0',
      STORE_URL: 'memory:',
      AUTH: 'open',
      RDAP_ALLOW_PRIVATE: 'true',
      RDAP_BOOTSTRAP_URL: bootstrap.url,
      RDAP_TIMEOUT_MS: '30000',
      NODE_OPTIONS: '--max-old-space-size=160',
    }),
  );
  const { url } = await gateway.logged('listening');
  const statuses = await Promise.all(
    [1, 2, 3, 4].map(async (at) => (await fetch(`${url}/v1/status?domain=a${at}.example`)).status),
  );
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect((await fetch(`${url}/health`)).status).toBe(200);
});
