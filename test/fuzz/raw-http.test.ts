import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { seededRandom, type Random } from '../support/random.ts';
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
const whole = post(body, `Content-Length: ${body.length}`);

/** Requests that are wrong, each in its own way. */
const malformed: Record<string, (random: Random) => string | Uint8Array> = {
  'random bytes': (random) =>
    Buffer.from(Array.from({ length: 1 + random.below(300) }, () => random.below(256))),
  'a request with some bytes changed': (random) =>
    mutate(
      Buffer.from(
        random.pick([whole, get('/v1/rdap?domain=taken.test'), get('/graphql?query={__typename}')]),
      ),
      random,
    ),
  'a TLS greeting': () =>
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
  'a method that is none': (random) =>
    head(
      `${random.pick(['G@T', 'get', '', ' GET', 'GET\0', 'X'.repeat(5000)])} /health HTTP/1.1`,
      'Host: a',
    ),
  'a method that nobody takes': (random) =>
    head(
      `${random.pick(['DELETE', 'PUT', 'TRACE', 'PROPFIND', 'PURGE', 'QUERY', 'M-SEARCH'])} /graphql HTTP/1.1`,
      'Host: a',
    ),
  'a version that is none': (random) =>
    head(
      `GET /health ${random.pick(['HTTP/9.9', 'HTTP/1.', 'HTTP/0.9', 'http/1.1', 'HTP/1.1', 'HTTP/1.1 HTTP/1.1', ''])}`,
      'Host: a',
    ),
  'no Host, or several': (random) =>
    head(
      'GET /health HTTP/1.1',
      ...random.pick([[], ['Host: a', 'Host: b'], ['Host:'], ['Host: a b'], ['Host: http://[']]),
    ),
  'a header that is none': (random) =>
    get(
      '/health',
      random.pick(['Bad Name: x', 'NoColon', ': x', 'X@: y', 'X\0: y', 'X : y', '\u00e9: y']),
    ),
  'a value that is none': (random) =>
    get(
      '/health',
      `X-Odd: ${random.pick(['a\0b', 'a\rb', 'a\nb', 'a\r\n b', '\x7f', '\u00ff'.repeat(100)])}`,
    ),
  'headers that are too large': (random) =>
    get('/health', `X-Long: ${'x'.repeat(16_000 + random.below(50_000))}`),
  'headers that are too many': (random) =>
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
  'a target that climbs': (random) =>
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
  'a target of another form': (random) =>
    head(
      `${random.pick(['OPTIONS *', 'CONNECT rdap.test:443', 'GET http://rdap.test/health', 'GET https://user:secret@rdap.test/v1/rdap?domain=taken.test', 'GET health', 'GET ?x', 'GET http://['])} HTTP/1.1`,
      'Host: a',
    ),
  'a length that is none': (random) =>
    post(
      body,
      `Content-Length: ${random.pick(['-1', '+26', '0x1a', '26, 26', '1e2', 'x', '99999999999999999999', ''])}`,
    ),
  'two lengths': (random) =>
    post(body, `Content-Length: ${body.length}`, `Content-Length: ${random.below(100)}`),
  'a length and chunks': (random) =>
    post(
      `${random.pick(['0\r\n\r\n', '1a\r\n'])}${body}`,
      `Content-Length: ${body.length}`,
      'Transfer-Encoding: chunked',
    ),
  'a coding that is none': (random) =>
    post(
      body,
      `Transfer-Encoding: ${random.pick(['gzip', 'chunked, gzip', 'identity', 'xchunked', ' chunked', 'chunked chunked'])}`,
    ),
  'chunks that are none': (random) =>
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
  'a body with more behind it': (random) =>
    `${whole}${random.pick(['x', '\r\n\r\n\r\n', 'GET', body, '\0'])}`,
  'a body that is compressed': (random) =>
    post(
      body,
      `Content-Length: ${body.length}`,
      `Content-Encoding: ${random.pick(['gzip', 'br', 'x'])}`,
    ),
  'a good request and then a bad one': (random) =>
    get('/health') +
    random.pick(['GARBAGE\r\n\r\n', head('GET / HTTP/1.1', 'Bad Name: x'), '\0\0']),
  'a wish for another protocol': (random) =>
    get(
      '/graphql',
      'Connection: Upgrade',
      `Upgrade: ${random.pick(['websocket', 'h2c', 'TLS/1.0'])}`,
      'Sec-WebSocket-Key: x',
      'HTTP2-Settings: AA',
    ),
  'an expectation': (random) =>
    post(
      body,
      `Expect: ${random.pick(['100-continue', '200-ok', '100-continue, x'])}`,
      `Content-Length: ${body.length}`,
    ),
};

const atOnce = 10;
/** For what a server waits for more than it was sent: only then is it told that there is none. */
const quietMs = 100;

/** What a server says to these bytes, until it closes or has no more to say. */
async function exchange(url: URL, bytes: string | Uint8Array): Promise<string> {
  const socket = connect(Number(url.port), url.hostname);
  const said: Buffer[] = [];
  socket.setTimeout(quietMs, () => socket.end());
  socket.on('data', (chunk: Buffer) => said.push(chunk));
  socket.on('error', () => {}); // it may be cut: that is an answer, too
  socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  await once(socket, 'close');
  return Buffer.concat(said).toString('latin1');
}

describe(`requests that are none (seed ${seed})`, () => {
  it('are of 24 classes and more', () =>
    expect(Object.keys(malformed).length).toBeGreaterThanOrEqual(24));

  it.each(Object.entries(malformed))(
    'get a proper refusal, or none: %s',
    { timeout: 600_000 },
    async (what, request) => {
      await using gateway = await startFuzzedGateway();
      const url = new URL(gateway.url);
      for (let first = 0; first < rounds(10, 0.01); first += atOnce) {
        await Promise.all(
          Array.from({ length: atOnce }, async (_, index) => {
            const round = first + index;
            const said = await exchange(url, request(seededRandom(seed + round)));
            const where = `${what}, FUZZ_SEED=${seed}, round ${round}`;
            if (said !== '') expect(said, where).toMatch(/^HTTP\/1\.1 \d{3} [\w ]+\r\n/);
            for (const [, code] of said.matchAll(/^HTTP\/1\.1 (\d{3}) /gm))
              if (code !== '100') expectDocumentedResponse(Number(code), said);
          }),
        );
      }
      expect((await gateway.fetch('/health')).status).toBe(200);
      expect(gateway.failures).toEqual([]);
    },
  );

  it('are told from good ones by this test', async () => {
    await using gateway = await startFuzzedGateway();
    expect(await exchange(new URL(gateway.url), whole)).toMatch(
      /^HTTP\/1\.1 200 OK\r\n[^]*"registered"/,
    );
    expect(() => expectDocumentedResponse(500, 'oops')).toThrow(/500/);
    expect(() => expectDocumentedResponse(400, 'Error\n    at parse (/src/x.ts:1:1)')).toThrow(
      /shows/,
    );
  });
});
