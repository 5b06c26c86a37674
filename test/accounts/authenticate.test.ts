import { describe, expect, it } from 'vitest';
import { generateKey } from '../../src/accounts/api-key.ts';
import {
  wwwAuthenticate,
  extractCredential,
  readKey,
  type AuthRequest,
} from '../../src/accounts/authenticate.ts';
import { Problem } from '../../src/domain/problems.ts';

/** Returns the key that a request sends. */
function extractApiKey(...args: Parameters<typeof extractCredential>) {
  const sent = extractCredential(...args);
  return sent === undefined ? undefined : readKey(sent);
}

const key = generateKey();
const other = generateKey();

type Headers = Record<string, string | readonly string[]>;
const local: Headers = { host: '127.0.0.1:4000' };

function request(
  headers: Headers = {},
  {
    url = '/v1/status?name=a',
    peer = '203.0.113.9',
  }: { url?: string; peer?: string | undefined } = {},
): AuthRequest {
  const distinct = Object.entries({ host: 'gateway.example', ...headers }).map(([name, value]) => [
    name,
    [value].flat(),
  ]);
  return { headersDistinct: Object.fromEntries(distinct), url, socket: { remoteAddress: peer } };
}

function problemOf(run: () => unknown): Problem {
  try {
    run();
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error('No problem was thrown.');
}

describe('an API key', () => {
  it.each<[string, Headers]>([
    ['X-API-Key', { 'x-api-key': key }],
    ['Authorization', { authorization: `Bearer ${key}` }],
    ['Authorization, in any case and with extra spaces', { authorization: `  bearer   ${key} ` }],
    ['both headers, if they are equal', { 'x-api-key': key, authorization: `Bearer ${key}` }],
    ['Authorization, if X-API-Key is empty', { 'x-api-key': '', authorization: `Bearer ${key}` }],
    [
      'Authorization, if X-API-Key is blank',
      { 'x-api-key': ' \t ', authorization: `Bearer ${key}` },
    ],
    [
      'X-API-Key, with an Authorization header for a proxy',
      { 'x-api-key': key, authorization: 'Basic dXNlcjpwYXNz' },
    ],
  ])('is read from %s, with every value of AUTH', (_, headers) => {
    for (const auth of ['required', 'open', 'auto'] as const)
      expect(extractApiKey(request(headers), auth)).toBe(key);
  });

  it.each<[string, Headers, string]>([
    [
      'different in the two headers',
      { 'x-api-key': key, authorization: `Bearer ${other}` },
      'invalid_api_key',
    ],
    ['sent in two X-API-Key headers', { 'x-api-key': [key, key] }, 'invalid_api_key'],
    [
      'sent in two Authorization headers',
      { authorization: [`Bearer ${key}`, `Bearer ${other}`] },
      'invalid_api_key',
    ],
    ['repeated in one header', { 'x-api-key': `${key}, ${key}` }, 'invalid_api_key'],
    [
      'mistyped',
      { 'x-api-key': `${key.slice(0, -1)}${key.endsWith('x') ? 'y' : 'x'}` },
      'invalid_api_key',
    ],
    ['truncated', { 'x-api-key': key.slice(0, -2) }, 'invalid_api_key'],
    ['not ASCII', { 'x-api-key': `${key}Ã©` }, 'invalid_api_key'],
    ['very long', { 'x-api-key': key.repeat(100) }, 'invalid_api_key'],
    ['sent without the scheme', { authorization: key }, 'invalid_api_key'],
    ['followed by another word', { authorization: `Bearer ${key} x` }, 'invalid_api_key'],
    ['empty in two X-API-Key headers', { 'x-api-key': ['', ''] }, 'invalid_api_key'],
    ['empty after Bearer', { authorization: 'Bearer ' }, 'missing_api_key'],
    ['empty in Authorization', { authorization: '' }, 'missing_api_key'],
  ])(
    'that is %s is rejected with every value of AUTH, without quoting it in the message',
    (_, headers, code) => {
      for (const auth of ['required', 'open', 'auto'] as const) {
        const problem = problemOf(() =>
          extractApiKey(request({ ...local, ...headers }, { peer: '127.0.0.1' }), auth),
        );
        expect([problem.code, problem.status]).toEqual([code, 401]);
        expect(problem.message).not.toContain(key.slice(4, 12));
      }
    },
  );

  it.each([
    `/v1/status?api_key=${key}`,
    '/v1/status?name=a&ApiKey=x',
    '/graphql?x-api-key=x',
    '/graphql?access_token=x',
    `/v1/status?k=${key}`,
  ])('in the URL is rejected: %s', (url) => {
    for (const auth of ['required', 'open', 'auto'] as const) {
      const problem = problemOf(() =>
        extractApiKey(request(local, { url, peer: '127.0.0.1' }), auth),
      );
      expect(problem.code).toBe('missing_api_key');
      expect(problem.message).toContain('X-API-Key');
      expect(problem.message).not.toContain(key.slice(4, 12));
    }
  });

  it('that is missing or invalid results in a WWW-Authenticate header', () => {
    expect(wwwAuthenticate(new Problem('missing_api_key', ''))).toEqual({
      'www-authenticate': 'Bearer realm="gateway"',
    });
    expect(wwwAuthenticate(new Problem('invalid_api_key', ''))).toEqual({
      'www-authenticate': 'Bearer realm="gateway", error="invalid_token"',
    });
    expect(wwwAuthenticate(new Problem('not_found', ''))).toEqual({});
  });
});

describe('a request without an API key', () => {
  it('is rejected with AUTH=required and accepted with AUTH=open', () => {
    expect(
      problemOf(() => extractApiKey(request(local, { peer: '127.0.0.1' }), 'required')).code,
    ).toBe('missing_api_key');
    expect(
      problemOf(() => extractApiKey(request({ authorization: 'Basic dXNlcjpwYXNz' }), 'required'))
        .code,
    ).toBe('missing_api_key');
    expect(extractApiKey(request(), 'open')).toBeUndefined();
    expect(extractApiKey(request({ authorization: 'Basic dXNlcjpwYXNz' }), 'open')).toBeUndefined();
  });

  it.each<[string, Headers, string]>([
    ['a loopback address', { host: '127.0.0.1:4000' }, '127.0.0.1'],
    ['another loopback address', { host: '127.1.2.3' }, '127.9.9.9'],
    ['IPv6', { host: '[::1]:4000' }, '::1'],
    ['IPv4 in IPv6', { host: 'localhost:4000' }, '::ffff:127.0.0.1'],
    ['a name', { host: 'LocalHost' }, '127.0.0.1'],
    ['a name under localhost', { host: 'gateway.localhost:4000' }, '127.0.0.1'],
    ['a page from this machine', { ...local, origin: 'http://localhost:3000' }, '127.0.0.1'],
    ['a page of the gateway', { ...local, 'sec-fetch-site': 'same-origin' }, '127.0.0.1'],
    [
      'a page at another port',
      { ...local, 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:3000' },
      '127.0.0.1',
    ],
    [
      'a resource of a page at another port',
      { ...local, 'sec-fetch-site': 'same-site' },
      '127.0.0.1',
    ],
    ['an address that a user typed', { ...local, 'sec-fetch-site': 'none' }, '127.0.0.1'],
  ])('is accepted with AUTH=auto if it is local: %s', (_, headers, peer) => {
    expect(extractApiKey(request(headers, { peer }), 'auto')).toBeUndefined();
  });

  it.each<[string, Headers, string | undefined]>([
    ['another machine', local, '203.0.113.9'],
    [
      'another machine that claims to be this one',
      { ...local, 'x-forwarded-for': '127.0.0.1' },
      '203.0.113.9',
    ],
    ['a closed socket', local, undefined],
    ['a rebound DNS name', { host: 'evil.example:4000' }, '127.0.0.1'],
    [
      'a host name that starts with a loopback address',
      { host: '127.0.0.1.evil.example' },
      '127.0.0.1',
    ],
    ['a host name that ends with localhost', { host: 'notlocalhost' }, '127.0.0.1'],
    ['a host with a user part', { host: 'localhost@evil.example' }, '127.0.0.1'],
    ['no host', { host: '' }, '127.0.0.1'],
    ['two hosts', { host: ['localhost', 'localhost'] }, '127.0.0.1'],
    ['a page of another site', { ...local, origin: 'https://evil.example' }, '127.0.0.1'],
    ['a page without an origin', { ...local, origin: 'null' }, '127.0.0.1'],
    [
      'a resource of a page of another site',
      { ...local, 'sec-fetch-site': 'cross-site' },
      '127.0.0.1',
    ],
    [
      'a page at another loopback host',
      { ...local, 'sec-fetch-site': 'cross-site', origin: 'http://localhost:3000' },
      '127.0.0.1',
    ],
    [
      'a page of the same site that is not on this machine',
      { ...local, 'sec-fetch-site': 'same-site', origin: 'https://a.example' },
      '127.0.0.1',
    ],
    ['an unknown Sec-Fetch-Site', { ...local, 'sec-fetch-site': 'elsewhere' }, '127.0.0.1'],
    ['an empty Sec-Fetch-Site', { ...local, 'sec-fetch-site': '' }, '127.0.0.1'],
    [
      'two Sec-Fetch-Site headers',
      { ...local, 'sec-fetch-site': ['same-origin', 'cross-site'] },
      '127.0.0.1',
    ],
    ['a proxy: X-Forwarded-For', { ...local, 'x-forwarded-for': '127.0.0.1' }, '127.0.0.1'],
    ['a proxy: X-Forwarded-Host', { ...local, 'x-forwarded-host': 'localhost' }, '127.0.0.1'],
    ['a proxy: Forwarded', { ...local, forwarded: 'for=127.0.0.1' }, '127.0.0.1'],
    ['a proxy: Via', { ...local, via: '1.1 proxy' }, '127.0.0.1'],
    ['a proxy: X-Real-IP', { ...local, 'x-real-ip': '127.0.0.1' }, '127.0.0.1'],
    ['a proxy: CF-Connecting-IP', { ...local, 'cf-connecting-ip': '127.0.0.1' }, '127.0.0.1'],
    ['a proxy: True-Client-IP', { ...local, 'true-client-ip': '127.0.0.1' }, '127.0.0.1'],
  ])('is rejected with AUTH=auto: %s', (_, headers, peer) => {
    const unauthenticated = { ...request(headers), socket: { remoteAddress: peer } };
    expect(problemOf(() => extractApiKey(unauthenticated, 'auto')).code).toBe('missing_api_key');
  });

  it.each([
    'X-Client-IP',
    'X-Cluster-Client-IP',
    'X-Original-Forwarded-For',
    'X-Envoy-External-Address',
    'Fastly-Client-IP',
    'Fly-Client-IP',
    'X-Azure-ClientIP',
    'CF-Ray',
    'CDN-Loop',
    'X-Amz-Cf-Id',
    'X-Varnish',
    'Tailscale-User-Login',
  ])('is rejected with AUTH=auto: a proxy: %s', (name) => {
    const forwarded = request({ ...local, [name.toLowerCase()]: '127.0.0.1' });
    const unauthenticated = { ...forwarded, socket: { remoteAddress: '127.0.0.1' } };
    expect(problemOf(() => extractApiKey(unauthenticated, 'auto')).code).toBe('missing_api_key');
  });

  it.each<[headers: Headers, reason: string]>([
    [{ 'sec-fetch-site': 'cross-site' }, ' for requests from pages of other sites'],
    [{ origin: 'https://app.example' }, ' for requests from pages of other sites'],
    [{ via: '1.1 proxy' }, ' for requests through a proxy'],
    [{ host: 'rebound.example' }, ''],
  ])('says why with AUTH=auto: %j', (headers, reason) => {
    const { message } = problemOf(() =>
      extractApiKey(request({ ...local, ...headers }, { peer: '127.0.0.1' }), 'auto'),
    );
    expect(message).toContain(`This gateway requires an API key${reason}. Send the key`);
    for (const [peer, auth] of [
      ['127.0.0.1', 'required'],
      ['203.0.113.9', 'auto'],
    ] as const)
      expect(
        problemOf(() => extractApiKey(request({ ...local, ...headers }, { peer }), auth)).message,
      ).toContain('This gateway requires an API key. Send the key');
  });
});
