import { connect } from 'node:net';
import { beforeEach, describe, expect, it } from 'vitest';
import { startFakeRegistry } from '../../support/servers/fake-registry.ts';
import { forThisFile } from '../../support/for-this-file.ts';
import { startGateway, type Json } from '../../support/gateways/gateway.ts';
import { parseResponse, sendRaw } from '../../support/requests/raw-http.ts';
import { problemExtensions } from '../../support/checks/problem-extensions.ts';

let requestsBefore: number;

const registry = await forThisFile(startFakeRegistry);
const gateway = await forThisFile(startGateway, {
  registries: { example: registry.baseUrl },
  env: { RATE_LIMIT: '0', RDAP_RATE: '0' },
});

const one = 'domain(name: "free.example", maxAge: 0)';
const expectNoLookup = () => expect(registry.requests.length).toBe(requestsBefore);
const codesOf = ({ errors = [] }: Json): string[] =>
  errors.map(({ extensions }: Json) => extensions.code);

beforeEach(() => void (requestsBefore = registry.requests.length));

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

const rejectedBodies: readonly (readonly [
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
  ['truncated JSON', typed('{"query": "secret', 'application/json'), 400, 'invalid_body'],
  ['a JSON string', typed('"secret"', 'application/json'), 400, 'invalid_query'],
];

describe('a GraphQL request body', () => {
  it.each(rejectedBodies)(
    'is rejected without parser messages and without a lookup: %s',
    async (_what, init, status, code) => {
      const response = await gateway.fetch('/graphql', { method: 'POST', ...init });
      const text = await response.text();
      expect([response.status, codesOf(JSON.parse(text))]).toEqual([status, [code]]);
      expect(text).not.toMatch(
        /unexpected|token|position|expected|secret|nonsense|originalError|stack/i,
      );
      expectNoLookup();
    },
  );

  it('is accepted with 64 KiB', async () => {
    const response = await gateway.fetch('/graphql', {
      method: 'POST',
      ...typed(JSON.stringify({ query }).padEnd(64 * 1024), 'application/json'),
    });
    expect(await response.json()).toEqual({ data: { domain: { available: true } } });
  });

  it('is rejected if it is the text of a URL, even if that URL was sent before', async () => {
    const path = `/graphql?${new URLSearchParams({ query: '{ domain(name: "taken.test") { available } }' })}`;
    for (let times = 0; times < 3; times += 1) await gateway.get(path);
    const response = await gateway.fetch('/graphql', {
      method: 'POST',
      ...typed(path, 'application/json'),
    });
    expect([response.status, codesOf(await response.json())]).toEqual([400, ['invalid_body']]);
  });
});

const head = 'POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';

describe('a body that does not match its headers', () => {
  it('is rejected by its Content-Length before any of it arrives', async () => {
    const response = parseResponse(
      await sendRaw(gateway.url, `${head}Content-Length: 65537\r\n\r\n`),
    );
    expect([response.status, response.headers.get('connection')]).toEqual([413, 'close']);
  });

  it('is rejected while it arrives if it has no end', async () => {
    const { hostname, port } = new URL(gateway.url);
    const socket = connect(Number(port), hostname);
    const chunk = `400\r\n${' '.repeat(1024)}\r\n`;
    const send = () =>
      socket.write(chunk, (error) => !error && !socket.destroyed && setImmediate(send));
    socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`, send);
    const response = await new Promise<string>((resolve, reject) => {
      socket.once('data', (data) => resolve(String(data)));
      socket.once('close', () => reject(new Error('closed without a response')));
    });
    socket.on('error', () => undefined).destroy();
    expect(parseResponse(response).status).toBe(413);
  });

  it('is not executed beyond its Content-Length', async () => {
    const body = JSON.stringify({ query: '{ __typename }' });
    const text = await sendRaw(
      gateway.url,
      `${head}Content-Length: ${body.length}\r\n\r\n${body}{"query":"{ ${one} }"}\r\n\r\n`,
    );
    expect(text.match(/HTTP\/1\.1 \d+/g)?.slice(1) ?? []).not.toContain('HTTP/1.1 200');
    expectNoLookup();
  });
});

it('variables may have any name', async () => {
  const names = ['constructor', 'prototype', 'toString'];
  for (const name of names) {
    const result = await gateway.graphql(
      `query ($${name}: String!) { domain(name: $${name}) { domain } }`,
      { [name]: 'taken.test' },
    );
    expect(result, name).toEqual({ data: { domain: { domain: 'taken.test' } } });
  }
});

it('CORS allows no page to read responses with credentials', async () => {
  const { headers } = await gateway.post(
    '/graphql',
    { query: '{ __typename }' },
    { origin: 'https://evil.example' },
  );
  expect(headers.get('access-control-allow-origin')).toBe('*');
  expect(headers.get('access-control-allow-credentials')).toBeNull();
});

describe('a GraphQL GET', () => {
  it.each(['query', 'operationName', 'variables', 'extensions'])(
    'rejects a repeated %s',
    async (param) => {
      const sent = new URLSearchParams([
        ['query', query],
        [param, 'null'],
        ...(param === 'query' ? [] : [[param, 'null']]),
      ]);
      const response = await gateway.fetch(`/graphql?${sent}`, {
        headers: { accept: 'application/graphql-response+json' },
      });
      expect([response.status, (await response.json()).errors[0].extensions]).toMatchObject([
        400,
        { code: 'invalid_parameter', param },
      ]);
      expectNoLookup();
    },
  );

  it('has a private response', async () => {
    const { headers } = await gateway.fetch(
      `/graphql?query=${encodeURIComponent('{ __typename }')}`,
    );
    expect(headers.get('cache-control')).toBe('private, no-cache');
    expect(headers.get('vary')).toBe('Accept, X-API-Key, Authorization');
  });
});

it('the message for an invalid parameter states its type', async () => {
  const messages = {
    query: 'a GraphQL document',
    operationName: 'a string or null',
    variables: 'a JSON object or null',
  };
  for (const [param, expected] of Object.entries(messages)) {
    const response = await (await gateway.post('/graphql', { query, [param]: 3 })).json();
    expect(response.errors[0]).toMatchObject({
      message: expect.stringContaining(expected),
      extensions: problemExtensions('invalid_query', { param }),
    });
  }
});
