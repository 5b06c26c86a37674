import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startFakeRegistry, type FakeRegistry } from '../../support/fake-registry.ts';
import { startGateway, type Gateway, type Json } from '../../support/gateway.ts';
import { parseResponse, sendRaw } from '../../support/raw-http.ts';

let registry: FakeRegistry;
let gateway: Gateway;
let askedBefore: number;

beforeAll(async () => {
  registry = await startFakeRegistry();
  gateway = await startGateway({
    registries: { example: registry.baseUrl },
    env: { RATE_LIMIT: '0', RDAP_RATE: '0' },
  });
});

afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await registry.close();
});

const one = 'domain(name: "free.example", maxAge: 0)';
const askedNobody = () => expect(registry.requests.length).toBe(askedBefore);
const codesOf = ({ errors = [] }: Json): string[] =>
  errors.map(({ extensions }: Json) => extensions.code);

beforeEach(() => void (askedBefore = registry.requests.length));

const query = `{ ${one} { available } }`;
const form = new URLSearchParams({ query });
const multipart = new FormData();
multipart.set('operations', JSON.stringify({ query }));
multipart.set('map', '{}');
const typed = (body: NonNullable<RequestInit['body']>, contentType: string) => ({
  body,
  headers: { 'content-type': contentType },
});
const invalidUtf8 = Buffer.concat([
  Buffer.from(`{"query":"{ a: domain(name: \\"`),
  Buffer.of(0xc3, 0x28),
  Buffer.from('.example\\") { id } }"}'),
]);

const refusedBodies: readonly (readonly [
  what: string,
  init: RequestInit,
  status: number,
  code: string,
])[] = [
  ['a form', { body: form }, 415, 'unsupported_media_type'],
  ['a multipart form', { body: multipart }, 415, 'unsupported_media_type'],
  ['plain text', typed(JSON.stringify({ query }), 'text/plain'), 415, 'unsupported_media_type'],
  ['a bare document', typed(query, 'application/graphql'), 415, 'unsupported_media_type'],
  [
    'JSON without a media type',
    { body: Buffer.from(JSON.stringify({ query })) },
    415,
    'unsupported_media_type',
  ],
  [
    'an array of operations',
    typed(JSON.stringify([{ query }, { query }]), 'application/json'),
    400,
    'invalid_query',
  ],
  ['an array of one', typed(JSON.stringify([{ query }]), 'application/json'), 400, 'invalid_query'],
  [
    '64 KiB and a byte',
    typed(JSON.stringify({ query }).padEnd(64 * 1024 + 1), 'application/json'),
    413,
    'payload_too_large',
  ],
  ['invalid UTF-8', typed(invalidUtf8, 'application/json'), 400, 'invalid_body'],
  [
    'malformed JSON',
    typed(`{"query": "${query}", nonsense}`, 'application/json'),
    400,
    'invalid_body',
  ],
  ['JSON that breaks off', typed('{"query": "secret', 'application/json'), 400, 'invalid_body'],
  ['no object', typed('"secret"', 'application/json'), 400, 'invalid_query'],
];

describe('a body', () => {
  it.each(refusedBodies)(
    'is refused, in our words, and nobody is asked: %s',
    async (_what, init, status, code) => {
      const answer = await gateway.fetch('/graphql', { method: 'POST', ...init });
      const text = await answer.text();
      expect([answer.status, codesOf(JSON.parse(text))]).toEqual([status, [code]]);
      expect(text).not.toMatch(
        /unexpected|token|position|expected|secret|nonsense|originalError|stack/i,
      );
      askedNobody();
    },
  );

  it('of 64 KiB is read', async () => {
    const answer = await gateway.fetch('/graphql', {
      method: 'POST',
      ...typed(JSON.stringify({ query }).padEnd(64 * 1024), 'application/json'),
    });
    expect(await answer.json()).toEqual({ data: { domain: { available: true } } });
  });

  it('that is the text of a URL is rejected, however often that URL has been sent', async () => {
    const path = `/graphql?${new URLSearchParams({ query: '{ domain(name: "taken.test") { available } }' })}`;
    for (let times = 0; times < 3; times += 1) await gateway.get(path);
    const answer = await gateway.fetch('/graphql', {
      method: 'POST',
      ...typed(path, 'application/json'),
    });
    expect([answer.status, codesOf(await answer.json())]).toEqual([400, ['invalid_body']]);
  });
});

const head = 'POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';

describe('a body that is not what its head says', () => {
  it('is refused by its length before any of it has come', async () => {
    const answer = parseResponse(
      await sendRaw(gateway.url, `${head}Content-Length: 65537\r\n\r\n`),
    );
    expect([answer.status, answer.headers.get('connection')]).toEqual([413, 'close']);
  });

  it('is cut while it comes when it has no end', async () => {
    const { hostname, port } = new URL(gateway.url);
    const socket = connect(Number(port), hostname);
    const chunk = `400\r\n${' '.repeat(1024)}\r\n`;
    const send = () =>
      socket.write(chunk, (error) => !error && !socket.destroyed && setImmediate(send));
    socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`, send);
    const answer = await new Promise<string>((resolve, reject) => {
      socket.once('data', (data) => resolve(String(data)));
      socket.once('close', () => reject(new Error('closed without an answer')));
    });
    socket.on('error', () => undefined).destroy();
    expect(parseResponse(answer).status).toBe(413);
  });

  it('is no request of its own where it is longer than it says', async () => {
    const body = JSON.stringify({ query: '{ __typename }' });
    const text = await sendRaw(
      gateway.url,
      `${head}Content-Length: ${body.length}\r\n\r\n${body}{"query":"{ ${one} }"}\r\n\r\n`,
    );
    expect(text.match(/HTTP\/1\.1 \d+/g)?.slice(1) ?? []).not.toContain('HTTP/1.1 200');
    askedNobody();
  });
});

it('a variable may have any name', async () => {
  const names = ['constructor', 'prototype', 'toString'];
  for (const name of names) {
    const asked = await gateway.graphql(
      `query ($${name}: String!) { domain(name: $${name}) { domain } }`,
      { [name]: 'taken.test' },
    );
    expect(asked, name).toEqual({ data: { domain: { domain: 'taken.test' } } });
  }
});

it('no page is let read an answer with credentials', async () => {
  const { headers } = await gateway.post(
    '/graphql',
    { query: '{ __typename }' },
    { origin: 'https://evil.example' },
  );
  expect([
    headers.get('access-control-allow-origin'),
    headers.get('access-control-allow-credentials'),
  ]).toEqual(['*', null]);
});

describe('a GET', () => {
  it.each(['query', 'operationName', 'variables', 'extensions'])('takes %s once', async (param) => {
    const sent = new URLSearchParams([
      ['query', query],
      [param, 'null'],
      ...(param === 'query' ? [] : [[param, 'null']]),
    ]);
    const answer = await gateway.fetch(`/graphql?${sent}`, {
      headers: { accept: 'application/graphql-response+json' },
    });
    expect([answer.status, (await answer.json()).errors[0].extensions]).toMatchObject([
      400,
      { code: 'invalid_parameter', param },
    ]);
    askedNobody();
  });

  it('is kept for nobody else', async () => {
    const { headers } = await gateway.fetch(
      `/graphql?query=${encodeURIComponent('{ __typename }')}`,
    );
    expect([headers.get('cache-control'), headers.get('vary')]).toEqual([
      'private, no-cache',
      'Accept, X-API-Key, Authorization',
    ]);
  });
});

it('each parameter at fault is told what it must be', async () => {
  const messages = {
    query: 'a GraphQL document',
    operationName: 'a text or null',
    variables: 'a JSON object or null',
  };
  for (const [param, words] of Object.entries(messages)) {
    const answer = await (await gateway.post('/graphql', { query, [param]: 3 })).json();
    expect(answer.errors[0]).toMatchObject({
      message: expect.stringContaining(words),
      extensions: { code: 'invalid_query', param },
    });
  }
});
