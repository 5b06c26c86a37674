import { channel } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startFakeRegistry, type FakeRegistry } from '../../../support/fake-registry.ts';
import { startGateway, type Gateway, type Json } from '../../../support/gateway.ts';
import { html, notFound, registered } from '../../../support/replies.ts';
import { paused } from '../../../support/scripts.ts';
import { linesOf, next, remaining } from '../../../support/streams.ts';

let registry: FakeRegistry;
let gateway: Gateway;

beforeEach(async () => {
  registry = await startFakeRegistry();
  registry.on(/^(?:taken|nic)/, ({ name }) => registered(name));
  registry.on(/^html/, html(404));
  const env = { RDAP_RATE: '0', RDAP_CONCURRENCY: '2', MAX_LOOKUPS: '50000' };
  gateway = await startGateway({
    registries: { example: registry.baseUrl, 'co.uk': registry.baseUrl },
    env,
  });
});
afterEach(async () => {
  await gateway[Symbol.asyncDispose]();
  await registry.close();
});

const path = '/v1/status/bulk';
const ndjson = { accept: 'application/x-ndjson' };

async function* ask(body: object): AsyncGenerator<Json, void, void> {
  const answer = await gateway.post(path, body, ndjson);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([
    200,
    'application/x-ndjson',
  ]);
  yield* linesOf(answer);
}

describe('the lines of a bulk call', () => {
  it('come as each name is known, and the sum of them last', async () => {
    const [slow, slower] = [paused(notFound()), paused(({ name }) => registered(name))];
    registry.on('slow.example', slow);
    registry.on('slower.example', slower);
    const lines = ask({ domains: ['slower.example', 'slow.example', 'a b', 'Slow.example'] });
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
    expect(registry.asked('slow.example')).toBe(1);
  });

  it.each([
    [
      'whole names',
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
  ])('say of %s what the answer in one piece says', async (_form, body) => {
    const lines = await remaining(ask(body));
    const whole: Json = await (await gateway.post(path, body)).json();
    const rows = lines.slice(0, -1).toSorted((one, other) => one.index - other.index);
    expect(rows.map(timeless)).toEqual(whole.results.map(timeless));
    expect(lines.at(-1)).toEqual({ meta: { ...whole.meta, duration_ms: expect.any(Number) } });
  });

  it.each([
    ['application/x-ndjson', 'application/x-ndjson'],
    ['application/x-ndjson, application/json;q=0.9', 'application/x-ndjson'],
    ['application/x-ndjson;q=0.5, application/json', 'application/json; charset=utf-8'],
    ['application/*', 'application/json; charset=utf-8'],
    ['*/*', 'application/json; charset=utf-8'],
    ['text/html', 'application/json; charset=utf-8'],
  ])('are sent to who prefers them: %s', async (accept, mediaType) => {
    const answer = await gateway.post(path, { domains: ['taken.example'] }, { accept });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, mediaType]);
  });

  it('are refused as a whole when nothing can be looked up', async () => {
    const answer = await gateway.post(path, { domains: [7] }, ndjson);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      400,
      'application/problem+json',
    ]);
  });

  it('stop when nobody reads them any more: what is not sent is never asked', async () => {
    const reply = paused(notFound());
    registry.on(/^held/, reply);
    const domains = [
      'taken.example',
      'held1.example',
      'held2.example',
      'held3.example',
      'held4.example',
    ];
    const leaver = new AbortController();
    const init = {
      method: 'POST',
      body: JSON.stringify({ domains }),
      headers: { 'content-type': 'application/json', ...ndjson },
    };
    await gateway.fetch(path, { ...init, signal: leaver.signal });
    await Promise.all([registry.whenAsked('held1.example'), registry.whenAsked('held2.example')]);
    leaver.abort();
    // Two round trips after its leaving, the gateway has seen it.
    await gateway.get('/health');
    await gateway.get('/health');
    reply.release();
    expect((await gateway.get('/v1/status?domain=later.example')).results).toMatchObject([
      { available: true },
    ]);
    expect(domains.slice(1).map(registry.asked)).toEqual([1, 1, 0, 0]);
  });

  it('wait for a client that does not read: the gateway does not pile them up', async () => {
    // One name a hundred thousand times: some 40 MB, more than a connection holds.
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

/** A connection that has the first bytes of the answer and takes no more, and the gateway's side of it. */
async function openUnread(body: string) {
  const started = channel('http.server.request.start');
  const began = Promise.withResolvers<ServerResponse>();
  const listen = (message: unknown) =>
    began.resolve((message as { response: ServerResponse }).response);
  started.subscribe(listen);
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: ${ndjson.accept}\r\nConnection: close\r\n`;
  socket.write(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  const response = await began.promise;
  started.unsubscribe(listen);
  await once(socket, 'readable');
  return { socket, response };
}

function timeless({ cached: _1, checked_at: _2, latency_ms: _3, ...row }: Json): Json {
  return row;
}
