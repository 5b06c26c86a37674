import { describe, expect, it } from 'vitest';
import { forThisFile } from '../support/for-this-file.ts';
import { startGateway, type Gateway } from '../support/gateways/gateway.ts';
import { parseResponse, sendRaw } from '../support/requests/raw-http.ts';

const open = await forThisFile(startGateway);
const listed = await forThisFile(startGateway, {
  env: { CORS_ORIGINS: 'https://app.example, https://other.example:8443' },
});

const exposed = `WWW-Authenticate, X-API-Version, X-Response-Time, X-Data-Freshness, Deprecation, Sunset, Link, Retry-After, ETag, Age, Server-Timing, X-Request-Id, X-Credits-Requested, X-Credits-Charged,
  X-Credits-Refunded, X-Credits-Remaining, RateLimit, RateLimit-Policy, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Mcp-Session-Id`;
const headerNames = (list: string | null) => new Set(list?.split(/,\s*/));
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
  ['a registry error', '/v1/rdap?domain=down.test'],
  ['an unknown path', '/nothing'],
  ['a lookup that needs a setting', '/v1/certificates?domain=shop.example'],
  ['an unsupported method', '/v1/rdap', { method: 'PUT' }],
  [
    'a bulk call',
    '/v1/status/bulk',
    { method: 'POST', headers: json, body: '{"domains":["taken.test"]}' },
  ],
  ['a body of the wrong type', '/v1/status/bulk', { method: 'POST', body: 'x' }],
  ['a GraphQL response', '/graphql', graphql('{ domain(name: "taken.test") { available } }')],
  ['a GraphQL error', '/graphql', graphql('{')],
  [
    'a deferred GraphQL response',
    '/graphql',
    graphql('{ domain(name: "taken.test") { id ... @defer { available } } }'),
  ],
  [
    'a GraphQL event stream',
    '/graphql',
    graphql('subscription { availability(domains: ["taken.test"]) { available } }'),
  ],
  ['a GraphQL response that is not acceptable', '/graphql', graphql('{ __typename }', 'image/png')],
  ['the GraphiQL page', '/graphql', { headers: { accept: 'text/html' } }],
  ['the health check', '/health'],
  ['the metrics', '/metrics'],
  ['the documentation', '/docs'],
  ['a preflight', '/v1/status', { method: 'OPTIONS' }],
  ['a preflight for an unknown path', '/nothing', { method: 'OPTIONS' }],
];

describe.each(requests.map(([what, path, init]) => ({ what, path, init })))(
  '$what',
  ({ path, init = {} }) => {
    const headersFor = async (gateway: Gateway, origin?: string) => {
      const response = await gateway.fetch(path, {
        ...init,
        headers: {
          ...(init.headers as Record<string, string>),
          ...(origin !== undefined && { origin }),
        },
      });
      await response.text();
      return response.headers;
    };

    it('can be read by every page by default', async () => {
      const headers = await headersFor(open, 'https://anywhere.example');
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(headers.get('timing-allow-origin')).toBeNull();
      expect(headerNames(headers.get('access-control-expose-headers'))).toEqual(
        headerNames(exposed.replace(/\s+/g, ' ')),
      );
      expect(headers.get('access-control-allow-credentials')).toBeNull();
      expect(headers.get('vary') ?? '').not.toMatch(/origin|\*/i);
      expect(headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/);
    });

    it('cannot be embedded by pages of other origins, and forbids MIME sniffing', async () => {
      for (const gateway of [open, listed]) {
        const headers = await headersFor(gateway);
        expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
        expect(headers.get('x-content-type-options')).toBe('nosniff');
      }
    });

    it('can be read only by pages of CORS_ORIGINS if it is set', async () => {
      for (const origin of ['https://app.example', 'https://other.example:8443']) {
        const headers = await headersFor(listed, origin);
        expect(headers.get('access-control-allow-origin')).toEqual(origin);
        expect(headers.get('timing-allow-origin')).toEqual(origin);
        expect(headers.get('vary')).toMatch(/\bOrigin\b/);
      }
      for (const origin of [
        'https://app.example.evil.example',
        'http://app.example',
        'null',
        undefined,
      ]) {
        const headers = await headersFor(listed, origin);
        expect(headers.get('access-control-allow-origin')).toBeNull();
        expect(headers.get('timing-allow-origin')).toBeNull();
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
])('lists the allowed methods and headers in a preflight response: %s', async (path, methods) => {
  const response = await preflight(open, path);
  expect(response.status).toBe(204);
  expect(await response.text()).toBe('');
  expect(response.headers.get('access-control-max-age')).toBe('7200');
  expect(response.headers.get('access-control-allow-methods')).toBe(methods);
  expect(response.headers.get('allow')).toBe(methods);
  expect(response.headers.get('access-control-allow-headers')).toBe(defaultHeaders);
});

const defaultHeaders =
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
  'a preflight request for %s',
  (path) => {
    it.each([
      [
        'the headers that tracing, Apollo and browsers add',
        'apollographql-client-name,cache-control,content-type,traceparent',
        ', apollographql-client-name, cache-control, traceparent',
      ],
      [
        'any custom header',
        "x-my-client,x.odd!#$%&'*+-.^_`|~1",
        ", x-my-client, x.odd!#$%&'*+-.^_`|~1",
      ],
      ['the headers of a list with spaces and empty entries', ' , x-a ,,x-b,', ', x-a, x-b'],
      ['the valid header names of a list', 'x-a,b c,é,x"y,x-d', ', x-a, x-d'],
      ['only the default headers if they are requested', 'accept,x-api-key', ''],
      ['only the default headers for an empty list', ', ,', ''],
      ['only the default headers for a list of 4 KB', Array(400).fill('x-1234567').join(','), ''],
    ])('allows %s', async (_what, requested, others) => {
      for (const gateway of [open, listed]) {
        const { status, headers } = await preflight(gateway, path, requested);
        expect(status).toBe(204);
        expect(headers.get('access-control-allow-headers')).toEqual(defaultHeaders + others);
        expect(headers.get('vary')).toMatch(/\bAccess-Control-Request-Headers\b/);
      }
    });
  },
);

it('lets a page read that a path does not exist, whatever method and headers it sends', async () => {
  for (const method of ['GET', 'POST', 'DELETE', 'PUT', 'PATCH']) {
    const asked = await open.fetch('/v1/whois', {
      method: 'OPTIONS',
      headers: {
        origin: 'https://app.example',
        'access-control-request-method': method,
        'access-control-request-headers': 'x-api-key, x-my-client',
      },
    });
    expect(asked.status).toBe(204);
    expect(asked.headers.get('access-control-allow-methods')).toEqual(
      expect.stringMatching(new RegExp(`\\b${method}\\b`)),
    );
    expect(asked.headers.get('access-control-allow-headers')).toBe(
      `${defaultHeaders}, x-my-client`,
    );
    const { status, headers } = await open.fetch('/v1/whois', { method });
    expect([status, headers.get('access-control-allow-origin')]).toEqual([404, '*']);
  }
});

it('answers a preflight for the hidden metrics like one for a path that does not exist', async () => {
  await using gateway = await startGateway({ env: { METRICS_ALLOW: '192.0.2.1' } });
  const [hidden, missing] = await Promise.all(
    ['/metrics', '/nothing'].map((path) => preflight(gateway, path)),
  );
  expect(hidden?.headers.get('access-control-allow-methods')).toBe(
    missing?.headers.get('access-control-allow-methods'),
  );
  expect([hidden?.headers.get('allow'), missing?.headers.get('allow')]).toEqual([null, null]);
});

it('omits Access-Control-Allow-Origin in a preflight response to another origin', async () => {
  const headers = {
    origin: 'https://evil.example',
    'access-control-request-method': 'GET',
    'access-control-request-headers': 'x-a',
  };
  const response = await listed.fetch('/v1/status', { method: 'OPTIONS', headers });
  expect(response.headers.get('access-control-allow-origin')).toBeNull();
});

it('sends CORS headers in the response to a malformed request', async () => {
  const { headers } = parseResponse(await sendRaw(open.url, 'nonsense\r\n\r\n'));
  expect(headers.get('access-control-allow-origin')).toBe('*');
  expect(headers.get('timing-allow-origin')).toBeNull();
  expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/);
});
