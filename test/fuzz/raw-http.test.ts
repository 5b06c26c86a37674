import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { seededRandom, type Random } from '../support/time/random.ts';
import { expectDocumentedResponse, mutate, rounds, seed, startFuzzedGateway } from './fuzzing.ts';

const head = (line: string, ...headers: readonly string[]) =>
  [line, ...headers, '', ''].join('\r\n');
const get = (path: string, ...headers: readonly string[]) =>
  head(`GET ${path} HTTP/1.1`, 'Host: gateway.test', ...headers);
const post = (body: string, ...headers: readonly string[]) =>
  head(
    'POST /v1/status/bulk HTTP/1.1',
    'Host: gateway.test',
    'Content-Type: application/json',
    ...headers,
  ) + body;
const body = '{"domains":["taken.test"]}';
const validRequest = post(body, `Content-Length: ${body.length}`);

/** Generators of malformed or unusual requests, by kind. */
const malformed: Record<string, (random: Random) => string | Uint8Array> = {
  'random bytes': (random) =>
    Buffer.from(Array.from({ length: 1 + random.below(300) }, () => random.below(256))),
  'a mutated request': (random) =>
    mutate(
      Buffer.from(
        random.pick([
          validRequest,
          get('/v1/rdap?domain=taken.test'),
          get('/graphql?query={__typename}'),
        ]),
      ),
      random,
    ),
  'a TLS ClientHello': () =>
    Buffer.from([
      22,
      3,
      1,
      2,
      0,
      1,
      0,
      1,
      252,
      3,
      3,
      ...Array.from({ length: 200 }, (_, index) => index),
    ]),
  'an HTTP/2 preface': () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'an invalid method': (random) =>
    head(
      `${random.pick(['G@T', 'get', '', ' GET', 'GET\0', 'X'.repeat(5000)])} /health HTTP/1.1`,
      'Host: a',
    ),
  'an unsupported method': (random) =>
    head(
      `${random.pick(['DELETE', 'PUT', 'TRACE', 'PROPFIND', 'PURGE', 'QUERY', 'M-SEARCH'])} /graphql HTTP/1.1`,
      'Host: a',
    ),
  'an invalid HTTP version': (random) =>
    head(
      `GET /health ${random.pick(['HTTP/9.9', 'HTTP/1.', 'HTTP/0.9', 'http/1.1', 'HTP/1.1', 'HTTP/1.1 HTTP/1.1', ''])}`,
      'Host: a',
    ),
  'no Host, an invalid one, or several': (random) =>
    head(
      'GET /health HTTP/1.1',
      ...random.pick([[], ['Host: a', 'Host: b'], ['Host:'], ['Host: a b'], ['Host: http://[']]),
    ),
  'an invalid header name': (random) =>
    get(
      '/health',
      random.pick(['Bad Name: x', 'NoColon', ': x', 'X@: y', 'X\0: y', 'X : y', '\u00e9: y']),
    ),
  'an invalid header value': (random) =>
    get(
      '/health',
      `X-Odd: ${random.pick(['a\0b', 'a\rb', 'a\nb', 'a\r\n b', '\x7f', '\u00ff'.repeat(100)])}`,
    ),
  'headers that are too large': (random) =>
    get('/health', `X-Long: ${'x'.repeat(16_000 + random.below(50_000))}`),
  'too many headers': (random) =>
    get(
      '/health',
      ...Array.from({ length: 1000 + random.below(3000) }, (_, index) => `X-${index}: y`),
    ),
  'a target that is too long': (random) =>
    get(`/v1/rdap?domain=${'a'.repeat(16_000 + random.below(50_000))}`),
  'a target that cannot be decoded': (random) =>
    get(
      random.pick([
        '/%',
        '/%zz',
        '/v1/rdap?domain=%ff',
        '/v1/rdap?domain=%00',
        '/v1/%72dap?domain=%c0%af',
        '/v1/rdap?domain=%0d%0aX:%20y',
        '/\\',
      ]),
    ),
  'a target with path traversal': (random) =>
    get(
      random.pick([
        '/../../etc/passwd',
        '//etc/passwd',
        '/./graphql/..',
        '/%2e%2e/%2e%2e/etc/passwd',
        '/graphiql/../../package.json',
        '/graphiql/%2e%2e%2fpackage.json',
      ]),
    ),
  'an unusual target form': (random) =>
    head(
      `${random.pick(['OPTIONS *', 'CONNECT rdap.test:443', 'GET http://rdap.test/health', 'GET https://user:secret@rdap.test/v1/rdap?domain=taken.test', 'GET health', 'GET ?x', 'GET http://['])} HTTP/1.1`,
      'Host: a',
    ),
  'an invalid length': (random) =>
    post(
      body,
      `Content-Length: ${random.pick(['-1', '+26', '0x1a', '26, 26', '1e2', 'x', '99999999999999999999', ''])}`,
    ),
  'two lengths': (random) =>
    post(body, `Content-Length: ${body.length}`, `Content-Length: ${random.below(100)}`),
  'both a length and chunks': (random) =>
    post(
      `${random.pick(['0\r\n\r\n', '1a\r\n'])}${body}`,
      `Content-Length: ${body.length}`,
      'Transfer-Encoding: chunked',
    ),
  'an unsupported transfer coding': (random) =>
    post(
      body,
      `Transfer-Encoding: ${random.pick(['gzip', 'chunked, gzip', 'identity', 'xchunked', ' chunked', 'chunked chunked'])}`,
    ),
  'invalid chunks': (random) =>
    post(
      random.pick([
        'zz\r\n{}\r\n',
        '-1\r\n',
        'ffffffffffffffff\r\n',
        '5\r\nab\r\n',
        `5;${'x'.repeat(20_000)}\r\n`,
        '1a',
      ]),
      'Transfer-Encoding: chunked',
    ),
  'a body that is too short': (random) =>
    post(body.slice(0, random.below(body.length)), `Content-Length: ${body.length}`),
  'a body that is too large': (random) =>
    post('x'.repeat(70_000), `Content-Length: ${random.pick([70_000, 65_537, 1e12])}`),
  'a body followed by more data': (random) =>
    `${validRequest}${random.pick(['x', '\r\n\r\n\r\n', 'GET', body, '\0'])}`,
  'a compressed body': (random) =>
    post(
      body,
      `Content-Length: ${body.length}`,
      `Content-Encoding: ${random.pick(['gzip', 'br', 'x'])}`,
    ),
  'a valid request followed by an invalid one': (random) =>
    get('/health') +
    random.pick(['GARBAGE\r\n\r\n', head('GET / HTTP/1.1', 'Bad Name: x'), '\0\0']),
  'a protocol upgrade': (random) =>
    get(
      '/graphql',
      'Connection: Upgrade',
      `Upgrade: ${random.pick(['websocket', 'h2c', 'TLS/1.0'])}`,
      'Sec-WebSocket-Key: x',
      'HTTP2-Settings: AA',
    ),
  'an Expect header': (random) =>
    post(
      body,
      `Expect: ${random.pick(['100-continue', '200-ok', '100-continue, x'])}`,
      `Content-Length: ${body.length}`,
    ),
};

const concurrency = 10;
/** If the server waits for more data for this long, the client half-closes the connection. */
const idleTimeoutMs = 100;

/** Sends bytes to a server and returns the response until the connection is closed. */
async function exchange(url: URL, bytes: string | Uint8Array): Promise<string> {
  const socket = connect(Number(url.port), url.hostname);
  const chunks: Buffer[] = [];
  socket.setTimeout(idleTimeoutMs, () => socket.end());
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', () => {}); // the server may reset the connection
  socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  await once(socket, 'close');
  return Buffer.concat(chunks).toString('latin1');
}

describe(`malformed requests (seed ${seed})`, () => {
  it('are of at least 24 kinds', () =>
    expect(Object.keys(malformed).length).toBeGreaterThanOrEqual(24));

  it.each(Object.entries(malformed))(
    'get a documented response, or none: %s',
    { timeout: 600_000 },
    async (what, request) => {
      await using gateway = await startFuzzedGateway();
      const url = new URL(gateway.url);
      for (let first = 0; first < rounds(10, 0.01); first += concurrency) {
        await Promise.all(
          Array.from({ length: concurrency }, async (_, index) => {
            const round = first + index;
            const response = await exchange(url, request(seededRandom(seed + round)));
            const where = `${what}, FUZZ_SEED=${seed}, round ${round}`;
            if (response !== '') expect(response, where).toMatch(/^HTTP\/1\.1 \d{3} [\w ]+\r\n/);
            for (const [, code] of response.matchAll(/^HTTP\/1\.1 (\d{3}) /gm))
              if (code !== '100') expectDocumentedResponse(Number(code), response);
          }),
        );
      }
      expect((await gateway.fetch('/health')).status).toBe(200);
      expect(gateway.errorLogs).toEqual([]);
    },
  );

  it('are distinguished from valid ones by this test', async () => {
    await using gateway = await startFuzzedGateway();
    expect(await exchange(new URL(gateway.url), validRequest)).toMatch(
      /^HTTP\/1\.1 200 OK\r\n[^]*"registered"/,
    );
    expect(() => expectDocumentedResponse(500, 'oops')).toThrow(/500/);
    expect(() => expectDocumentedResponse(400, 'Error\n    at parse (/src/x.ts:1:1)')).toThrow(
      /leaks/,
    );
  });
});
