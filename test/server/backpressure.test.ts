import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { addressList } from '../../src/domain/names/ip-address.ts';
import { systemClock } from '../../src/clock.ts';
import { LoadShedder } from '../../src/server/load-shedder.ts';
import { HttpServer } from '../../src/server/http-server.ts';
import { defaultTimeouts } from '../../src/server/send-response.ts';
import { createLog } from '../../src/log.ts';

const chunkCount = 500;
const chunk = 'x'.repeat(64 * 1024);
const emptyResponse = { status: 200, headers: {} };

test('generates a stream at the speed at which its client reads, and sends all of it', async () => {
  let generated = 0;
  async function* body(): AsyncGenerator<string, void, void> {
    for (; generated < chunkCount; generated += 1) yield chunk;
  }
  const handler = {
    handle: ({ path }: { path: string }) => ({
      ...emptyResponse,
      body: path === '/stream' ? body() : 'ok',
    }),
    renderError: () => emptyResponse,
    renderParseError: () => emptyResponse,
    bypassesLoadShedding: () => false,
    renderOverload: () => emptyResponse,
    commonHeaders: () => ({}),
  };
  const server = new HttpServer({
    handler,
    loadShedder: new LoadShedder(systemClock),
    trustedProxies: addressList([]),
    timeouts: { ...defaultTimeouts, drainTimeoutMs: 0 },
    clock: systemClock,
    log: createLog('silent'),
  });
  const { port } = await server.listen('127.0.0.1', 0);
  const client = connect(port, '127.0.0.1');
  client.write('GET /stream HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n');
  await once(client, 'readable');
  // Enough time to generate the entire stream.
  for (let count = 0; count < 100; count += 1)
    await (await fetch(`http://127.0.0.1:${port}/`)).text();
  expect(generated).toBeLessThan(chunkCount / 2);
  let bytes = 0;
  for await (const data of client) bytes += (data as Buffer).length;
  expect([generated, bytes > chunkCount * chunk.length]).toEqual([chunkCount, true]);
  await server.stop(0);
});
