import { channel } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { beforeEach, describe, expect, it } from 'vitest';
import { forThisTest } from '../../support/for-this-test.ts';
import { startFakeRegistry, type FakeRegistry } from '../../support/servers/fake-registry.ts';
import { startGateway, type Gateway, type Json } from '../../support/gateways/gateway.ts';
import { html, notFound, registered } from '../../support/bodies/replies.ts';
import { paused } from '../../support/bodies/scripts.ts';
import { linesOf, next, remaining } from '../../support/requests/streams.ts';

let registry: FakeRegistry;
let gateway: Gateway;

beforeEach(async () => {
  registry = await forThisTest(startFakeRegistry);
  registry.on(/^(?:taken|nic)/, ({ name }) => registered(name));
  registry.on(/^html/, html(404));
  const env = { RDAP_RATE: '0', RDAP_CONCURRENCY: '2', MAX_LOOKUPS: '50000' };
  gateway = await forThisTest(startGateway, {
    registries: { example: registry.baseUrl, 'co.uk': registry.baseUrl },
    env,
  });
});

const path = '/v1/status/bulk';
const ndjson = { accept: 'application/x-ndjson' };

async function* stream(body: object): AsyncGenerator<Json, void, void> {
  const response = await gateway.post(path, body, ndjson);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/x-ndjson');
  yield* linesOf(response);
}

describe('the NDJSON of a bulk call', () => {
  it('contains the rows as they arrive, and finally the totals', async () => {
    const [slow, slower] = [paused(notFound()), paused(({ name }) => registered(name))];
    registry.on('slow.example', slow);
    registry.on('slower.example', slower);
    const lines = stream({ domains: ['slower.example', 'slow.example', 'a b', 'Slow.example'] });
    expect(await next(lines)).toMatchObject({
      index: 2,
      input: 'a b',
      status: 'invalid',
      reason: 'invalid_name',
    });
    slow.release();
    expect(await next(lines)).toMatchObject({
      index: 1,
      input: 'slow.example',
      domain: 'slow.example',
      available: true,
    });
    expect(await next(lines)).toMatchObject({
      index: 3,
      input: 'Slow.example',
      domain: 'slow.example',
      available: true,
    });
    slower.release();
    expect(await next(lines)).toMatchObject({ index: 0, available: false });
    const meta = {
      total: 4,
      available: 2,
      registered: 1,
      unknown: 0,
      invalid: 1,
      total_checked: 4,
      available_count: 2,
      duration_ms: expect.any(Number),
    };
    expect(await remaining(lines)).toEqual([{ meta }]);
    expect(registry.requestCount('slow.example')).toBe(1);
  });

  it.each([
    [
      'full names',
      {
        domains: [
          'taken.example',
          'html.example',
          'no name',
          ' TAKEN.example. ',
          'a.no-such-tld',
          'free.example',
        ],
      },
    ],
    [
      'names and TLDs',
      { names: ['taken', 'a_b', 'Bücher'], tlds: ['.EXAMPLE', 'co.uk', 'x y'], max_age: 60 },
    ],
  ])('contains the same data as the JSON response: %s', async (_form, body) => {
    const lines = await remaining(stream(body));
    const buffered: Json = await (await gateway.post(path, body)).json();
    const rows = lines.slice(0, -1).toSorted((one, other) => one.index - other.index);
    expect(rows.map(withoutTimes)).toEqual(buffered.results.map(withoutTimes));
    expect(lines.at(-1)).toEqual({ meta: { ...buffered.meta, duration_ms: expect.any(Number) } });
  });

  it.each([
    ['application/x-ndjson', 'application/x-ndjson'],
    ['application/x-ndjson, application/json;q=0.9', 'application/x-ndjson'],
    ['application/x-ndjson;q=0.5, application/json', 'application/json; charset=utf-8'],
    ['application/*', 'application/json; charset=utf-8'],
    ['*/*', 'application/json; charset=utf-8'],
    ['text/html', 'application/json; charset=utf-8'],
  ])('is sent to clients that prefer it: %s', async (accept, mediaType) => {
    const response = await gateway.post(path, { domains: ['taken.example'] }, { accept });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, mediaType]);
  });

  it('is replaced by a problem if the body is invalid', async () => {
    const response = await gateway.post(path, { domains: [7] }, ndjson);
    expect(response.status).toBe(400);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
  });

  it('ends when the client disconnects: queued lookups are cancelled', async () => {
    const reply = paused(notFound());
    registry.on(/^paused/, reply);
    const domains =
      'taken.example paused1.example paused2.example paused3.example paused4.example'.split(' ');
    const controller = new AbortController();
    const init = {
      method: 'POST',
      body: JSON.stringify({ domains }),
      headers: { 'content-type': 'application/json', ...ndjson },
    };
    await gateway.fetch(path, { ...init, signal: controller.signal });
    await Promise.all([
      registry.whenRequested('paused1.example'),
      registry.whenRequested('paused2.example'),
    ]);
    controller.abort();
    // After two round trips, the gateway has noticed the disconnect.
    await gateway.get('/health');
    await gateway.get('/health');
    reply.release();
    const { results } = await gateway.get('/v1/status?domain=later.example');
    expect(results).toMatchObject([{ available: true }]);
    expect(domains.slice(1).map(registry.requestCount)).toEqual([1, 1, 0, 0]);
  });

  it('is generated only as fast as the client reads it', { timeout: 60_000 }, async () => {
    // One name 100,000 times: about 40 MB, more than the buffers of a connection.
    const body = JSON.stringify({
      names: Array.from({ length: 250 }, () => `taken${'x'.repeat(50)}`),
      tlds: Array.from({ length: 400 }, () => 'example'),
    });
    const { socket, response } = await openUnread(body);
    await gateway.get('/health');
    await gateway.get('/health');
    expect(response.writableEnded).toBe(false);
    expect(response.writableLength).toBeLessThan(1_000_000);
    let lines = 0;
    let end = '';
    for await (const chunk of socket) {
      const text = String(chunk);
      lines += text.split('"index":').length - 1;
      end = (end + text).slice(-500);
    }
    expect(end).toContain('"meta":{"total":100000,');
    expect(lines).toBeGreaterThan(99_000);
  });
});

/**
 * Opens a connection that does not read past the first bytes of the response. Returns the gateway's
 * response object too.
 */
async function openUnread(body: string) {
  const started = channel('http.server.request.start');
  const receivedRequest = Promise.withResolvers<ServerResponse>();
  const listen = (message: unknown) =>
    receivedRequest.resolve((message as { response: ServerResponse }).response);
  started.subscribe(listen);
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: ${ndjson.accept}\r\nConnection: close\r\n`;
  socket.write(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  const response = await receivedRequest.promise;
  started.unsubscribe(listen);
  await once(socket, 'readable');
  return { socket, response };
}

function withoutTimes({ cached: _1, checked_at: _2, latency_ms: _3, ...row }: Json): Json {
  return row;
}
