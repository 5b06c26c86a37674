import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import type { SiteResponse } from '../../src/sites/site-client.ts';
import { startFakeSites } from '../support/servers/fake-site.ts';
import { problemText, siteClient, siteRequest } from '../support/bodies/site-requests.ts';

/** Reads a site that sends `start`, and then `block` until the connection is closed. */
async function read(start: string, block: string): Promise<SiteResponse> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    const write = () => {
      while (!socket.destroyed && socket.write(block));
    };
    socket.on('drain', write).once('data', () => {
      socket.write(start);
      write();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = siteClient({ serverOf: () => ({ address: '127.0.0.1', port }) });
  try {
    return await client.get(new URL('http://shop.example/'), siteRequest());
  } finally {
    await client.destroy();
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}

const interim = 'HTTP/1.1 103 Early Hints\r\nlink: <a>\r\n\r\n';
const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';

it('reads no endless sequence of interim responses', async () => {
  expect(await problemText(read('', interim.repeat(1000)))).toBe(
    'site_unreachable: shop.example sent more than 10 interim responses.',
  );
});

it('reads the response after some interim responses', async () => {
  const start = `${interim.repeat(10)}HTTP/1.1 200 OK\r\n\r\n`;
  expect(await read(start, 'x'.repeat(1000))).toMatchObject({ status: 200, isTruncated: true });
});

it.each([
  ['extensions', `1;${'e'.repeat(10_000)}\r\na\r\n`],
  ['one byte each', '1\r\na\r\n'.repeat(10_000)],
])('cuts off a body of chunks with %s after 1 MiB', async (_case, block) => {
  const { body, isTruncated } = await read(chunked, block);
  expect(isTruncated).toBe(true);
  expect(body.length).toBeGreaterThan(0);
  expect(body.length).toBeLessThan(200_000);
});

it('limits each response of a connection by itself', async () => {
  const body = 'x'.repeat(400_000);
  await using sites = await startFakeSites({ 'http://shop.example/': { body } });
  const client = siteClient(sites);
  for (let count = 0; count < 5; count += 1)
    expect(await client.get(new URL('http://shop.example/'), siteRequest())).toMatchObject({
      body: { length: 400_000 },
      isTruncated: false,
    });
  await client.destroy();
});
