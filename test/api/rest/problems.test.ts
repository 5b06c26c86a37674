import { describe, expect, it } from 'vitest';
import { prices } from '../../../src/execution/charging/prices.ts';
import { generateKey } from '../../../src/accounts/api-key.ts';
import { problems, type ProblemCode } from '../../../src/domain/problems.ts';
import { html, status } from '../../support/bodies/replies.ts';
import { hang } from '../../support/bodies/hostile-replies.ts';
import { memoryLog } from '../../support/checks/memory-log.ts';
import { problemExtensions } from '../../support/checks/problem-extensions.ts';
import { expectProblem } from '../../support/checks/problems.ts';
import { forThisFile } from '../../support/for-this-file.ts';
import { startGateway, type Json } from '../../support/gateways/gateway.ts';
import { startMeteredGateway, type Customer } from '../../support/gateways/metered-gateway.ts';
import { parseResponse, sendRaw } from '../../support/requests/raw-http.ts';
import { sequentially } from '../../support/requests/statuses.ts';
import { startFakeRegistry } from '../../support/servers/fake-registry.ts';

const registry = await forThisFile(startFakeRegistry);
registry.on(/^failing/, status(500));
registry.on(/^html/, html(404));
registry.on(/^hang/, hang());
registry.on(/^busy/, status(429, { 'retry-after': '9' }));
const gateway = await forThisFile(startGateway, {
  registries: { example: registry.baseUrl },
  env: { RDAP_TIMEOUT_MS: '1000', MAX_LOOKUPS: '1', MAX_TLDS: '2' },
});

const { log, lines } = memoryLog();
const metered = await forThisFile(startMeteredGateway, { log, env: { RATE_LIMIT: '10' } });

const secret = 'gw_live_do_not_tell';

const get =
  (path: string, { headers = {}, ...init }: RequestInit & { headers?: object } = {}) =>
  () =>
    gateway.fetch(`${path}${path.includes('?') ? '&' : '?'}token=${secret}`, {
      headers: { cookie: secret, referer: `https://app.example/?token=${secret}`, ...headers },
      ...init,
    });
const record = (domain: string) => get(`/v1/rdap?domain=${domain}`);
const post = (body: string | Uint8Array<ArrayBuffer>, headers = {}) =>
  get('/v1/status/bulk', {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
  });
/** Sends a request line and headers exactly as given. */
const raw =
  (...request: readonly string[]) =>
  async () =>
    parseResponse(await sendRaw(gateway.url, [...request, '', ''].join('\r\n')));
const health = 'GET /health HTTP/1.1';
const local = 'Host: localhost';
const close = 'Connection: close';

/** Requests without a key, by the code of their problem and its cause. */
const requests = {
  missing_parameter: { 'no domain': get('/v1/rdap') },
  invalid_parameter: { 'a repeated parameter': record('a.example&domain=b.example') },
  invalid_name: { 'an invalid name': record('a_b.example') },
  invalid_max_age: { 'an invalid age': record('a.example&max_age=-1') },
  invalid_body: {
    'a body that is not JSON': post(`{"${secret}`),
    'a body that is not UTF-8': post(Uint8Array.of(0x22, 0xff, 0x22)),
    'an empty body': post(''),
  },
  too_many_tlds: { 'three TLDs': get('/v1/status?name=a&tlds=a,b,c') },
  too_many_lookups: {
    'two names': post('{"domains":["a.example","b.example"]}'),
    'two names in a search': get('/v1/status?domain=a.example,b.example'),
  },
  unsupported_tld: { 'a TLD without a server': record('a.no-such-tld') },
  not_found: {
    'an unknown path': get('/v1/nothing'),
    'a path with a trailing slash': get('/v1/rdap/'),
  },
  method_not_allowed: { 'the wrong method': get('/v1/rdap', { method: 'DELETE' }) },
  headers_too_large: {
    'a header of 20 KB': raw(health, local, `X-API-Key: ${secret}`, `X: ${'x'.repeat(20_000)}`),
  },
  malformed_request: {
    'no Host': raw(health, close),
    'two Hosts': raw(health, local, local, close),
    'two Hosts in HTTP/1.0': raw('GET /health HTTP/1.0', local, 'Host: a.example'),
    'an invalid Host': raw(health, 'Host: [::', close),
    'a request that is not HTTP': raw(secret),
    'two values of Content-Length': raw(
      'POST /graphql HTTP/1.1',
      local,
      'Content-Length: 1',
      'Content-Length: 2',
      '',
      '{}',
    ),
  },
  payload_too_large: { 'a body of 64 KiB and a byte': post(' '.repeat(64 * 1024 + 1)) },
  unsupported_media_type: {
    'a form': post('domains=a', { 'content-type': 'application/x-www-form-urlencoded' }),
    'another charset': post('{}', { 'content-type': 'application/json; charset=latin1' }),
    'a compressed body': post('{}', { 'content-encoding': 'gzip' }),
  },
  not_implemented: { 'a missing setting': get('/v1/certificates?domain=shop.example') },
  registry_error: { 'a registry that fails': record('failing.example') },
  untrusted_answer: { 'a registry that returns HTML': record('html.example') },
  registry_timeout: { 'a registry that does not respond': record('hang.example') },
  registry_busy: { 'a registry that returns 429': record('busy.example') },
} satisfies Partial<Record<ProblemCode, Record<string, () => Promise<Response>>>>;

/** Members that problems have beside those of every problem. */
const membersOf: Partial<Record<ProblemCode, object>> = {
  missing_parameter: { param: 'domain' },
  invalid_parameter: { param: 'domain' },
  invalid_name: { param: 'domain' },
  invalid_max_age: { param: 'max_age' },
  invalid_body: { param: 'body' },
  too_many_tlds: { param: 'tlds' },
  too_many_lookups: { param: expect.stringMatching(/^domains?$/) },
  registry_busy: { retry_after: 9 },
};

/** One of 10 requests per minute is allowed after 6 seconds, less the time that they took. */
const isRetryAfter = (seconds: unknown) => Number(seconds) >= 1 && Number(seconds) <= 6;

interface CustomerRow {
  readonly code: ProblemCode;
  readonly members?: object;
  readonly headers?: object;
  send(this: void, customer: Customer): Promise<Response>;
}

const path = '/v1/status?domain=a.example';
/** The problems that need a key, or more than one request. */
const customerRows: readonly CustomerRow[] = [
  {
    code: 'missing_api_key',
    send: () => metered.gateway.fetch(path),
    headers: { 'www-authenticate': 'Bearer realm="gateway"' },
  },
  {
    code: 'invalid_api_key',
    send: () => metered.gateway.fetch(path, { headers: { 'x-api-key': generateKey() } }),
    headers: { 'www-authenticate': 'Bearer realm="gateway", error="invalid_token"' },
  },
  {
    code: 'insufficient_credits',
    send: async () =>
      (await metered.newCustomer({ credits: 1 })).fetch('/v1/rdap?domain=a.example'),
    members: {
      credits_required: prices.record(1),
      credits_remaining: 1,
      resets_at: expect.stringMatching(/^\d{4}-\d\d-01T00:00:00\.000Z$/),
    },
  },
  {
    code: 'forbidden_operation',
    send: async () => (await metered.newCustomer({ documents: [] })).fetch(path),
  },
  {
    code: 'forbidden_origin',
    async send() {
      const headers = { origin: 'https://other.example' };
      const origins = ['https://app.example'];
      return (await metered.newCustomer({ origins })).fetch(path, { headers });
    },
  },
  {
    code: 'rate_limited',
    async send(customer) {
      await sequentially(10, () => customer.fetch('/v1/status?domain=a.test'));
      return customer.fetch(path);
    },
    members: { retry_after: expect.toSatisfy(isRetryAfter) },
    headers: { 'retry-after': expect.toSatisfy(isRetryAfter) },
  },
  {
    code: 'idempotency_conflict',
    async send(customer) {
      const headers = { 'idempotency-key': 'one' };
      await customer.post('/v1/status/bulk', { domains: ['a.example'] }, headers);
      return customer.post('/v1/status/bulk', { domains: ['b.example'] }, headers);
    },
    members: { param: 'Idempotency-Key' },
  },
  {
    code: 'invalid_naming',
    send: (customer) => customer.fetch(`${path}&naming=camel`),
    members: { param: 'naming' },
  },
  { code: 'site_unreachable', send: (customer) => customer.fetch('/v1/robots?domain=free.test') },
  {
    code: 'site_blocked',
    send: (customer) => customer.fetch('/v1/tech?domain=taken-blocked.test'),
  },
  { code: 'site_timeout', send: (customer) => customer.fetch('/v1/tech?domain=taken-slow.test') },
];

/** The tests of the other codes. */
const elsewhere = {
  'api/graphql/graphql, execution/limits and server/messages/media-types':
    'invalid_query query_too_large not_acceptable',
  'api/mcp/oauth': 'unknown_account',
  'api/rest/endpoints/rdap-without-record': 'no_rdap contradicted not_delegated',
  'registries/combined-whois': 'whois_unclear',
  'lookup/policy': 'brand_tld closed_tld reserved_label script_not_offered',
  'sites/certificates/certificates-reader': 'ct_unavailable',
  'registries/directory/object-bootstraps': 'special_use no_registry',
  'api/graphql/apollo-persisted': 'persisted_query_not_found',
  'server/slow-clients and server/messages/internal-error': 'request_timeout internal',
  'sites/abuse-contacts': 'too_many_addresses',
  'watches/contract': 'too_many_watches limit_reached cursor_expired',
  'server/overload and accounts/credits/ledger-unavailable': 'overloaded unavailable',
};

describe('a problem', () => {
  const rows = Object.entries(requests).flatMap(([code, causes]) =>
    Object.entries(causes).map(([cause, send]) => ({ code: code as ProblemCode, cause, send })),
  );

  it.each(rows)(
    'for $cause has the code $code and the members of RFC 9457, and reveals no secret',
    async ({ code, send }) => {
      const response = await send();
      const text = await response.clone().text();
      expect(text + JSON.stringify([...response.headers])).not.toContain(secret);
      await expectProblem(response, code, { ...membersOf[code] });
    },
  );

  it.each(customerRows)(
    '$code has its members and headers, and is logged with its request id or counted',
    async ({ code, send, members = {}, headers = {} }) => {
      const response = await send(await metered.newCustomer());
      const requestId = response.headers.get('x-request-id');
      expect(Object.fromEntries(response.headers)).toMatchObject(headers);
      await expectProblem(response, code, { ...members });
      const isCounted = code === 'rate_limited';
      expect(lines.filter((line: Json) => line.requestId === requestId)).toEqual(
        isCounted ? [] : [expect.objectContaining({ code })],
      );
    },
  );

  it('is tested for every code', () => {
    const tested = [
      ...Object.keys(requests),
      ...customerRows.map(({ code }) => code),
      ...Object.values(elsewhere).flatMap((codes) => codes.split(' ')),
    ];
    expect(tested.toSorted()).toEqual(Object.keys(problems).toSorted());
  });

  it.each<{ code: ProblemCode; init: RequestInit; allow?: string }>([
    {
      code: 'unsupported_media_type',
      init: {
        method: 'POST',
        body: 'query=%7Bid%7D',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      },
    },
    {
      code: 'payload_too_large',
      init: {
        method: 'POST',
        body: ' '.repeat(70_000),
        headers: { 'content-type': 'application/json' },
      },
    },
    { code: 'method_not_allowed', init: { method: 'PUT' }, allow: 'GET, HEAD, POST, OPTIONS' },
  ])('is a GraphQL error with the same status and code in GraphQL: $code', async (row) => {
    const { code, init, allow = null } = row;
    const response = await gateway.fetch('/graphql', init);
    expect(response.status).toBe(problems[code].status);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.headers.get('allow')).toBe(allow);
    expect(await response.json()).toEqual({
      errors: [{ message: expect.stringMatching(/\.$/), extensions: problemExtensions(code) }],
    });
  });

  it('links to DOCS_URL', async () => {
    const DOCS_URL = 'https://docs.example/gateway/';
    await using documented = await startGateway({ env: { DOCS_URL } });
    const { type } = await documented.get('/v1/nothing');
    expect(type).toBe('https://docs.example/gateway/errors#not_found');
  });

  it('has links built from BASE_URL, never from Host', async () => {
    const response = await raw('GET /v1/nothing HTTP/1.1', 'Host: evil.example', close)();
    expect(await response.json()).toMatchObject({ type: `${gateway.url}/docs/errors#not_found` });
  });
});
