import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type Gateway } from '../../support/gateway.ts';
import { parseResponse, sendRaw } from '../../support/raw-http.ts';

let open: Gateway;
let listed: Gateway;

beforeAll(async () => {
  open = await startGateway();
  listed = await startGateway({
    env: { CORS_ORIGINS: 'https://app.example, https://other.example:8443' },
  });
});

afterAll(async () => {
  await open[Symbol.asyncDispose]();
  await listed[Symbol.asyncDispose]();
});

const exposed = `WWW-Authenticate, X-API-Version, X-Response-Time, X-Data-Freshness, Deprecation, Sunset, Link, Retry-After, ETag, Age, Server-Timing, X-Request-Id, X-Credits-Requested, X-Credits-Charged,
  X-Credits-Refunded, X-Credits-Remaining, RateLimit, RateLimit-Policy, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset`;
const words = (list: string | null) => new Set(list?.split(/,\s*/));
const json = { 'content-type': 'application/json' };
const graphql = (query: string, accept = '*/*'): RequestInit => ({
  method: 'POST',
  headers: { ...json, accept },
  body: JSON.stringify({ query }),
});

const requests: readonly (readonly [what: string, path: string, init?: RequestInit])[] = [
  ['a success', '/v1/status?domain=taken.test'],
  ['a HEAD', '/v1/status?domain=taken.test', { method: 'HEAD' }],
  ['a problem', '/v1/rdap'],
  ['a problem of a registry', '/v1/rdap?domain=down.test'],
  ['a path that is not there', '/nothing'],
  ['a path known by name', '/v1/tech'],
  ['a wrong method', '/v1/rdap', { method: 'PUT' }],
  [
    'a bulk call',
    '/v1/status/bulk',
    { method: 'POST', headers: json, body: '{"domains":["taken.test"]}' },
  ],
  ['a body of the wrong type', '/v1/status/bulk', { method: 'POST', body: 'x' }],
  ['GraphQL', '/graphql', graphql('{ domain(name: "taken.test") { available } }')],
  ['GraphQL that fails', '/graphql', graphql('{')],
  [
    'GraphQL in parts',
    '/graphql',
    graphql('{ domain(name: "taken.test") { id ... @defer { available } } }'),
  ],
  [
    'GraphQL in events',
    '/graphql',
    graphql('subscription { availability(domains: ["taken.test"]) { available } }'),
  ],
  ['GraphQL that is not acceptable', '/graphql', graphql('{ __typename }', 'image/png')],
  ['the GraphiQL page', '/graphql', { headers: { accept: 'text/html' } }],
  ['health', '/health'],
  ['metrics', '/metrics'],
  ['the documentation', '/docs'],
  ['a preflight', '/v1/status', { method: 'OPTIONS' }],
  ['a preflight for what is not there', '/nothing', { method: 'OPTIONS' }],
];

describe.each(requests.map(([what, path, init]) => ({ what, path, init })))(
  '$what',
  ({ path, init = {} }) => {
    const ask = async (gateway: Gateway, origin?: string) => {
      const answer = await gateway.fetch(path, {
        ...init,
        headers: {
          ...(init.headers as Record<string, string>),
          ...(origin !== undefined && { origin }),
        },
      });
      await answer.text();
      return answer.headers;
    };

    it('may be read by every page', async () => {
      const headers = await ask(open, 'https://anywhere.example');
      expect([
        headers.get('access-control-allow-origin'),
        headers.get('timing-allow-origin'),
      ]).toEqual(['*', null]);
      expect(words(headers.get('access-control-expose-headers'))).toEqual(
        words(exposed.replace(/\s+/g, ' ')),
      );
      expect(headers.get('access-control-allow-credentials')).toBeNull();
      expect(headers.get('vary') ?? '').not.toMatch(/origin|\*/i);
      expect(headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/);
    });

    it('is embedded by no page of another origin, and its media type is not guessed', async () => {
      for (const gateway of [open, listed]) {
        const headers = await ask(gateway);
        expect([
          headers.get('cross-origin-resource-policy'),
          headers.get('x-content-type-options'),
        ]).toEqual(['same-origin', 'nosniff']);
      }
    });

    it('may be read by the pages on the list alone, where there is one', async () => {
      for (const origin of ['https://app.example', 'https://other.example:8443']) {
        const headers = await ask(listed, origin);
        expect([
          headers.get('access-control-allow-origin'),
          headers.get('timing-allow-origin'),
        ]).toEqual([origin, origin]);
        expect(headers.get('vary')).toMatch(/\bOrigin\b/);
      }
      for (const origin of [
        'https://app.example.evil.example',
        'http://app.example',
        'null',
        undefined,
      ]) {
        const headers = await ask(listed, origin);
        expect([
          headers.get('access-control-allow-origin'),
          headers.get('timing-allow-origin'),
        ]).toEqual([null, null]);
        expect(headers.get('vary')).toMatch(/\bOrigin\b/);
      }
    });
  },
);

it.each([
  ['/v1/status', 'GET, HEAD, OPTIONS'],
  ['/v1/status/bulk', 'POST, OPTIONS'],
  ['/graphql', 'GET, HEAD, POST, OPTIONS'],
  ['/v1/ssl/deep-scan', 'GET, HEAD, OPTIONS'],
])('a preflight of %s says what a page may send', async (path, methods) => {
  const answer = await preflight(open, path);
  expect([
    answer.status,
    await answer.text(),
    answer.headers.get('access-control-max-age'),
  ]).toEqual([204, '', '7200']);
  expect(answer.headers.get('access-control-allow-methods')).toBe(methods);
  expect(answer.headers.get('allow')).toBe(methods);
  expect(answer.headers.get('access-control-allow-headers')).toBe(usualHeaders);
});

const usualHeaders =
  'X-API-Key, Authorization, Content-Type, Accept, Service-Naming, If-None-Match, Idempotency-Key';

function preflight(gateway: Gateway, path: string, requested?: string): Promise<Response> {
  const headers = {
    origin: 'https://app.example',
    'access-control-request-method': 'POST',
    ...(requested !== undefined && { 'access-control-request-headers': requested }),
  };
  return gateway.fetch(path, { method: 'OPTIONS', headers });
}

describe.each(['/graphql', '/v1/status', '/v1/status/bulk', '/v1/tech'])(
  'a preflight of %s',
  (path) => {
    it.each([
      [
        'what tracing, Apollo and browsers add',
        'apollographql-client-name,cache-control,content-type,traceparent',
        ', apollographql-client-name, cache-control, traceparent',
      ],
      [
        'any header of a client',
        "x-my-client,x.odd!#$%&'*+-.^_`|~1",
        ", x-my-client, x.odd!#$%&'*+-.^_`|~1",
      ],
      ['lists with spaces and empty entries', ' , x-a ,,x-b,', ', x-a, x-b'],
      ['the headers among what is not a header name', 'x-a,b c,é,x"y,x-d', ', x-a, x-d'],
      ['no more than the usual headers for those alone', 'accept,x-api-key', ''],
      ['no more than the usual headers for a list without any name', ', ,', ''],
      [
        'no more than the usual headers for a list of 4 KB',
        Array(400).fill('x-1234567').join(','),
        '',
      ],
    ])('allows %s', async (_what, requested, others) => {
      for (const gateway of [open, listed]) {
        const { status, headers } = await preflight(gateway, path, requested);
        expect([status, headers.get('access-control-allow-headers')]).toEqual([
          204,
          usualHeaders + others,
        ]);
        expect(headers.get('vary')).toMatch(/\bAccess-Control-Request-Headers\b/);
      }
    });
  },
);

it('a preflight of a page that is not on the list allows it nothing', async () => {
  const headers = {
    origin: 'https://evil.example',
    'access-control-request-method': 'GET',
    'access-control-request-headers': 'x-a',
  };
  const answer = await listed.fetch('/v1/status', { method: 'OPTIONS', headers });
  expect(answer.headers.get('access-control-allow-origin')).toBeNull();
});

it('a request that cannot even be read is answered readably', async () => {
  const { headers } = parseResponse(await sendRaw(open.url, 'nonsense\r\n\r\n'));
  expect([headers.get('access-control-allow-origin'), headers.get('timing-allow-origin')]).toEqual([
    '*',
    null,
  ]);
  expect([
    headers.get('cross-origin-resource-policy'),
    headers.get('x-content-type-options'),
  ]).toEqual(['same-origin', 'nosniff']);
  expect(headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/);
});
