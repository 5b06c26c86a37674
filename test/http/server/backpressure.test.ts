import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { addressList } from '../../../src/ip-address.ts';
import { systemClock } from '../../../src/clock.ts';
import { LoadShedder } from '../../../src/http/middleware/load-shedder.ts';
import { HttpServer } from '../../../src/http/server/http-server.ts';
import { defaultTimeouts } from '../../../src/http/server/timeouts.ts';
import { createLog } from '../../../src/log.ts';

const parts = 500;
const part = 'x'.repeat(64 * 1024);
const bare = { status: 200, headers: {} };

test('a stream is not made faster than its client reads it, and comes whole once he does', async () => {
  let made = 0;
  async function* body(): AsyncGenerator<string, void, void> {
    for (; made < parts; made += 1) yield part;
  }
  const handler = {
    handle: ({ path }: { path: string }) => ({
      ...bare,
      body: path === '/stream' ? body() : 'here',
    }),
    renderError: () => bare,
    renderParseError: () => bare,
    bypassesLoadShedding: () => false,
    rejectOverloaded: () => undefined,
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
  // Time enough to make it all.
  for (let other = 0; other < 100; other += 1)
    await (await fetch(`http://127.0.0.1:${port}/`)).text();
  expect(made).toBeLessThan(parts / 2);
  let bytes = 0;
  for await (const chunk of client) bytes += (chunk as Buffer).length;
  expect([made, bytes > parts * part.length]).toEqual([parts, true]);
  await server.stop(0);
});
