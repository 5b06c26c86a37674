import { once } from 'node:events';
import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { bootstrapOf, writeBootstrap } from '../support/servers/fake-bootstrap.ts';
import { startProcess } from '../support/gateways/gateway-process.ts';
import { startGateway } from '../support/gateways/gateway.ts';
import { startWebhookReceiver } from '../support/stores/webhook-receiver.ts';
import { openFrom } from '../support/requests/in-flight.ts';

it.each([
  ['that are read', 'POST /graphql', 'application/json', 400],
  ['that nobody reads, of streams', 'GET /v1/changes', 'text/event-stream', 200],
])('bodies in chunks of one byte %s take little memory', async (_what, line, type, status) => {
  await using bootstrap = await writeBootstrap(bootstrapOf({ example: 'https://rdap.invalid/' }));
  await using gateway = startProcess({
    PORT: '0',
    STORE_URL: 'memory:',
    AUTH: 'open',
    RDAP_BOOTSTRAP_URL: bootstrap.url,
    NODE_OPTIONS: '--max-old-space-size=160',
  });
  const { url } = await gateway.logged('listening');
  const head = `${line} HTTP/1.1\r\nHost: localhost\r\nAccept: ${type}\r\nContent-Type: ${type}\r\n`;
  const text = `${head}Transfer-Encoding: chunked\r\n\r\n${'1\r\n \r\n'.repeat(60_000)}`;
  const sockets = await openFrom({ url }, '127.0.0.1', 24, text);
  // Each passes through all sockets at least once, which reads 64 KiB of each.
  for (let turn = 0; turn < 20; turn += 1) await (await fetch(`${url}/health`)).text();
  for (const socket of sockets) socket.write('0\r\n\r\n');
  const starts = await Promise.all(sockets.map((socket) => once(socket, 'data')));
  expect(new Set(starts.map(([start]) => String(start).slice(0, 12)))).toEqual(
    new Set([`HTTP/1.1 ${status}`]),
  );
  expect((await fetch(`${url}/health`)).status).toBe(200);
  for (const socket of sockets) socket.destroy();
});

it('the body of a test of a webhook is not kept while its receiver is waited for', async () => {
  await using receiver = await startWebhookReceiver();
  const { promise: reply, resolve: answer } = Promise.withResolvers<readonly [number]>();
  receiver.reply = () => reply;
  await using gateway = await startGateway({ env: { WEBHOOK_ALLOW: 'localhost' } });
  const body = JSON.stringify({ url: `http://127.0.0.1:${receiver.port}/` });
  const headers = { 'content-type': 'application/json' };
  const created = await fetch(`${gateway.url}/v1/webhooks`, { method: 'POST', headers, body });
  const { id } = await created.json();
  const sending = request(`${gateway.url}/v1/webhooks/${id}/test`, { method: 'POST' });
  const response = once(sending, 'response');
  // More than the system keeps for a server that does not read.
  await new Promise((resolve) => sending.write(Buffer.alloc(64 * 1024 * 1024), resolve));
  answer([204]);
  sending.end();
  expect(await json((await response)[0])).toMatchObject({ delivered: true });
});
