import { expect, it } from 'vitest';
import type { Json } from '../support/gateways/gateway.ts';
import { startProcess } from '../support/gateways/gateway-process.ts';

const environment = {
  PORT: '0',
  STORE_URL: 'memory:',
  RDAP_BOOTSTRAP_URL: 'http://127.0.0.1:1/dns.json',
};

/** Sends requests with a name in each, and returns all log lines. */
async function logOf(level: string): Promise<{ readonly text: string; readonly served: Json[] }> {
  await using gateway = startProcess({ ...environment, LOG_LEVEL: level });
  // `listening` is logged at `info`.
  const { url } = await gateway.logged('listening');
  const stream =
    '/graphql?query=subscription{availability(domains:["hidden-name.test"]){available}}';
  await fetch(`${url}/v1/status?domain=hidden-name.test&x=hidden-name`);
  await fetch(`${url}/v1/hidden-name.test`);
  await (await fetch(url + stream, { headers: { accept: 'text/event-stream' } })).text();
  await fetch(`${url}/v1/status?domain=not a hidden-name`, { method: 'HEAD' });
  gateway.kill('SIGTERM');
  const { stdout } = await gateway.ended;
  const lines = stdout.split('\n').map((line): Json => JSON.parse(line));
  return { text: stdout, served: lines.filter(({ msg }) => msg === 'Request served.') };
}

it('logs one line per request at debug, without names, queries and keys', async () => {
  const { text, served } = await logOf('debug');
  expect(served.map(({ method, route, status }) => [method, route, status])).toEqual([
    ['GET', '/v1/status', 200],
    ['GET', 'unmatched', 404],
    ['GET', '/graphql', 200],
    ['HEAD', '/v1/status', 200],
  ]);
  for (const line of served)
    expect(line).toEqual({
      level: 'debug',
      time: expect.any(String),
      method: expect.any(String),
      route: expect.any(String),
      status: expect.any(Number),
      ms: expect.any(Number),
      requestId: expect.stringMatching(/^[\da-f-]{36}$/),
      msg: expect.any(String),
    });
  expect(text).not.toContain('hidden-name');
});

it('logs no request that succeeds at info', async () => {
  expect((await logOf('info')).served).toEqual([]);
});
