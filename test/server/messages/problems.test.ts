import { describe, expect, it } from 'vitest';
import { problems, type ProblemCode } from '../../../src/domain/problems.ts';
import { startFakeRegistry } from '../../support/servers/fake-registry.ts';
import { forThisFile } from '../../support/for-this-file.ts';
import { startGateway } from '../../support/gateways/gateway.ts';
import { hang } from '../../support/bodies/hostile-replies.ts';
import { expectProblem } from '../../support/checks/problems.ts';
import { parseResponse, sendRaw } from '../../support/requests/raw-http.ts';
import { html, status } from '../../support/bodies/replies.ts';
import { problemExtensions } from '../../support/checks/problem-extensions.ts';

const registry = await forThisFile(startFakeRegistry);
registry.on(/^failing/, status(500));
registry.on(/^html/, html(404));
registry.on(/^hang/, hang());
registry.on(/^busy/, status(429, { 'retry-after': '9' }));
const gateway = await forThisFile(startGateway, {
  registries: { example: registry.baseUrl },
  env: { RDAP_TIMEOUT_MS: '1000', MAX_LOOKUPS: '1', MAX_TLDS: '2' },
});

const secret = 'gw_live_do_not_tell';
const withSecret = { headers: { cookie: secret, referer: `https://app.example/?token=${secret}` } };

const get =
  (path: string, init: RequestInit = {}) =>
  () =>
    gateway.fetch(`${path}${path.includes('?') ? '&' : '?'}token=${secret}`, {
      ...withSecret,
      ...init,
    });
const post = (
  body: string | Uint8Array<ArrayBuffer>,
  type = 'application/json',
  more: Record<string, string> = {},
) =>
  get('/v1/status/bulk', {
    method: 'POST',
    body,
    headers: { ...withSecret.headers, 'content-type': type, ...more },
  });
const raw = (text: string) => async () => parseResponse(await sendRaw(gateway.url, text));

const cases: readonly (readonly [
  code: ProblemCode,
  cause: string,
  send: () => Promise<Response>,
  members?: Record<string, unknown>,
])[] = [
  ['missing_parameter', 'no domain', get('/v1/rdap'), { param: 'domain' }],
  [
    'invalid_parameter',
    'a repeated parameter',
    get('/v1/rdap?domain=a.example&domain=b.example'),
    { param: 'domain' },
  ],
  ['invalid_name', 'an invalid name', get('/v1/rdap?domain=a_b.example'), { param: 'domain' }],
  [
    'invalid_max_age',
    'an invalid age',
    get('/v1/rdap?domain=a.example&max_age=-1'),
    { param: 'max_age' },
  ],
  ['invalid_body', 'a body that is not JSON', post(`{"${secret}`), { param: 'body' }],
  [
    'invalid_body',
    'a body that is not UTF-8',
    post(Uint8Array.of(0x22, 0xff, 0x22)),
    { param: 'body' },
  ],
  ['invalid_body', 'an empty body', post(''), { param: 'body' }],
  ['too_many_tlds', 'three TLDs', get('/v1/status?name=a&tlds=a,b,c'), { param: 'tlds' }],
  [
    'too_many_lookups',
    'two names',
    post('{"domains":["a.example","b.example"]}'),
    { param: 'domains' },
  ],
  [
    'too_many_lookups',
    'two names in a search',
    get('/v1/status?domain=a.example,b.example'),
    { param: 'domain' },
  ],
  ['unsupported_tld', 'a TLD without a server', get('/v1/rdap?domain=a.no-such-tld')],
  ['not_found', 'an unknown path', get('/v1/nothing')],
  ['not_found', 'a path with a trailing slash', get('/v1/rdap/')],
  ['method_not_allowed', 'the wrong method', get('/v1/rdap', { method: 'DELETE' })],
  [
    'headers_too_large',
    'a header of 20 KB',
    raw(
      `GET /health HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${secret}\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
    ),
  ],
  ['malformed_request', 'no Host', raw('GET /health HTTP/1.1\r\nConnection: close\r\n\r\n')],
  [
    'malformed_request',
    'two Hosts',
    raw('GET /health HTTP/1.1\r\nHost: localhost\r\nhost: localhost\r\nConnection: close\r\n\r\n'),
  ],
  [
    'malformed_request',
    'two Hosts in HTTP/1.0',
    raw('GET /health HTTP/1.0\r\nHost: localhost\r\nHost: a.example\r\n\r\n'),
  ],
  [
    'malformed_request',
    'an invalid Host',
    raw('GET /health HTTP/1.1\r\nHost: [::\r\nConnection: close\r\n\r\n'),
  ],
  ['malformed_request', 'a request that is not HTTP', raw(`${secret}\r\n\r\n`)],
  [
    'malformed_request',
    'two values of Content-Length',
    raw(
      'POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}',
    ),
  ],
  ['payload_too_large', 'a body of 64 KiB and a byte', post(' '.repeat(64 * 1024 + 1))],
  [
    'unsupported_media_type',
    'a form',
    post('domains=a.example', 'application/x-www-form-urlencoded'),
  ],
  ['unsupported_media_type', 'another charset', post('{}', 'application/json; charset=latin1')],
  [
    'unsupported_media_type',
    'a compressed body',
    post('{}', 'application/json', { 'content-encoding': 'gzip' }),
  ],
  ['not_implemented', 'a lookup that needs a setting', get('/v1/certificates?domain=shop.example')],
  ['registry_error', 'a registry that fails', get('/v1/rdap?domain=failing.example')],
  ['untrusted_answer', 'a registry that returns HTML', get('/v1/rdap?domain=html.example')],
  ['registry_timeout', 'a registry that does not respond', get('/v1/rdap?domain=hang.example')],
  [
    'registry_busy',
    'a registry that returns 429',
    get('/v1/rdap?domain=busy.example'),
    { retry_after: 9 },
  ],
];

const sendGraphql = async (init: RequestInit) => {
  const response = await gateway.fetch('/graphql', init);
  return [
    response.status,
    response.headers.get('content-type'),
    await response.json(),
    response.headers.get('allow'),
  ];
};
const rejection = (code: ProblemCode) => ({
  errors: [{ message: expect.stringMatching(/\.$/), extensions: problemExtensions(code) }],
});

describe('a problem document', () => {
  it.each(cases.map(([code, cause, send, members]) => ({ code, cause, send, members })))(
    'for $cause has the code $code and the members of RFC 9457, and reveals no secret',
    async ({ code, send, members }) => {
      const response = await send();
      const text = await response.clone().text();
      expect(text + JSON.stringify([...response.headers])).not.toContain(secret);
      await expectProblem(response, code, members);
    },
  );

  it('is tested for every code of the REST API', () => {
    // The first three belong to GraphQL. A slow request takes too long here, and internal errors have
    // their own test.
    const elsewhere = [
      'invalid_query',
      'query_too_large',
      'not_acceptable',
      'request_timeout',
      'internal',
    ];
    const codes =
      `missing_parameter invalid_parameter invalid_name invalid_max_age invalid_body too_many_tlds too_many_lookups unsupported_tld
      not_found method_not_allowed payload_too_large unsupported_media_type headers_too_large malformed_request not_implemented registry_error
      untrusted_answer registry_busy registry_timeout`.split(/\s+/);
    expect(new Set(cases.map(([code]) => code))).toEqual(new Set(codes));
    expect(Object.keys(problems)).toEqual(expect.arrayContaining([...codes, ...elsewhere]));
  });

  it('is a GraphQL error with the same status and code in the GraphQL API', async () => {
    const json = 'application/json; charset=utf-8';
    const body = 'query=%7Bid%7D';
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect(await sendGraphql({ method: 'POST', body, headers: form })).toEqual([
      415,
      json,
      rejection('unsupported_media_type'),
      null,
    ]);
    const large = {
      method: 'POST',
      body: ' '.repeat(70_000),
      headers: { 'content-type': 'application/json' },
    };
    expect(await sendGraphql(large)).toEqual([413, json, rejection('payload_too_large'), null]);
    expect(await sendGraphql({ method: 'PUT' })).toEqual([
      405,
      json,
      rejection('method_not_allowed'),
      'GET, HEAD, POST, OPTIONS',
    ]);
  });

  it('links to DOCS_URL', async () => {
    await using documented = await startGateway({
      env: { DOCS_URL: 'https://docs.example/gateway/' },
    });
    expect((await documented.get('/v1/nothing')).type).toBe(
      'https://docs.example/gateway/errors#not_found',
    );
  });

  it('has links built from BASE_URL, never from Host', async () => {
    const text = await sendRaw(
      gateway.url,
      'GET /v1/nothing HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n',
    );
    expect(await parseResponse(text).json()).toMatchObject({
      type: `${gateway.url}/docs/errors#not_found`,
    });
  });
});
