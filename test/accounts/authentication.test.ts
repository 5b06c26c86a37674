import { describe, expect, it } from 'vitest';
import { generateKey } from '../../src/accounts/api-key.ts';
import { isLocal } from '../../src/accounts/authenticate.ts';
import { forThisFile } from '../support/for-this-file.ts';
import { startGateway } from '../support/gateways/gateway.ts';
import { startMeteredGateway } from '../support/gateways/metered-gateway.ts';
import { parseResponse, sendRaw } from '../support/requests/raw-http.ts';

const metered = await forThisFile(startMeteredGateway);
const { key } = await metered.newCustomer();

const STORE_URL = `sqlite:${metered.folder}/gateway.db`;
const gatewayWith = (AUTH: string) =>
  forThisFile(startGateway, { env: { AUTH, STORE_URL, RATE_LIMIT: '0' } });
const gateways = {
  required: metered.gateway,
  open: await gatewayWith('open'),
  auto: await gatewayWith('auto'),
};
type AuthMode = keyof typeof gateways;
const modes = ['required', 'open', 'auto'] as const;

const path = '/v1/status?domain=a.test';
const local = 'Host: 127.0.0.1:4000';
/** Headers of requests, by title. `KEY` stands for the key, `OTHER` for an unknown one. */
type Requests = Record<string, string | readonly string[]>;

/** Sends header lines exactly as given. */
async function send(auth: AuthMode, lines: string | readonly string[], target = path) {
  const head = [`GET ${target} HTTP/1.1`, lines, 'Connection: close', '', ''].flat().join('\r\n');
  const sent = head.replaceAll('KEY', key).replaceAll('OTHER', generateKey());
  return parseResponse(await sendRaw(gateways[auth].url, sent));
}

/** Expects a 401 for requests from this machine, which need no key with AUTH=auto. */
async function expectRejection(code: string, lines: readonly string[], target?: string) {
  for (const auth of modes) {
    const response = await send(auth, [local, ...lines], target);
    const { code: actual, detail } = await response.json();
    expect([response.status, actual]).toEqual([401, code]);
    const error = code === 'invalid_api_key' ? ', error="invalid_token"' : '';
    expect(response.headers.get('www-authenticate')).toBe(`Bearer realm="gateway"${error}`);
    expect(detail).not.toContain(key.slice(4, 12));

    const graphql = await send(auth, [local, ...lines], '/graphql?query=%7B__typename%7D');
    const { errors } = await graphql.json();
    if (!target) expect([graphql.status, errors[0].extensions.code]).toEqual([401, code]);
  }
}

describe('an API key', () => {
  const accepted: Requests = {
    'X-API-Key': ['X-API-Key: KEY'],
    Authorization: ['Authorization: Bearer KEY'],
    'Authorization, in any case and with extra spaces': ['Authorization:   bearer   KEY '],
    'both headers, if they are equal': ['X-API-Key: KEY', 'Authorization: Bearer KEY'],
    'Authorization, if X-API-Key is empty': ['X-API-Key:', 'Authorization: Bearer KEY'],
    'Authorization, if X-API-Key is blank': ['X-API-Key:  \t ', 'Authorization: Bearer KEY'],
    'X-API-Key, with an Authorization header for a proxy': [
      'X-API-Key: KEY',
      'Authorization: Basic dXNlcjpwYXNz',
    ],
  };
  it.each(Object.entries(accepted))(
    'is read from %s, with every value of AUTH',
    async (_, lines) => {
      for (const auth of modes) {
        const response = await send(auth, [local, ...lines]);
        expect([response.status, response.headers.get('x-credits-requested')]).toEqual([200, '0']);
      }
    },
  );

  const mistyped = `${key.slice(0, -1)}${key.endsWith('x') ? 'y' : 'x'}`;
  const invalid: Record<string, readonly string[]> = {
    unknown: ['X-API-Key: OTHER'],
    'different in the two headers': ['X-API-Key: KEY', 'Authorization: Bearer OTHER'],
    'sent in two X-API-Key headers': ['X-API-Key: KEY', 'X-API-Key: KEY'],
    'sent in two Authorization headers': [
      'Authorization: Bearer KEY',
      'Authorization: Bearer OTHER',
    ],
    'repeated in one header': ['X-API-Key: KEY, KEY'],
    mistyped: [`X-API-Key: ${mistyped}`],
    truncated: [`X-API-Key: ${key.slice(0, -2)}`],
    'not ASCII': ['X-API-Key: KEYÃ©'],
    'very long': [`X-API-Key: ${key.repeat(100)}`],
    'sent without the scheme': ['Authorization: KEY'],
    'followed by another word': ['Authorization: Bearer KEY x'],
    'empty in two X-API-Key headers': ['X-API-Key:', 'X-API-Key:'],
  };
  it.each(Object.entries(invalid))(
    'that is %s is rejected with every value of AUTH, without quoting it in the message',
    (_, lines) => expectRejection('invalid_api_key', lines),
  );

  it.each(['Authorization: Bearer ', 'Authorization:'])('that is empty is rejected: %s', (line) =>
    expectRejection('missing_api_key', [line]),
  );

  it.each([
    `${path}&api_key=KEY`,
    '/v1/status?name=a&ApiKey=x',
    '/graphql?x-api-key=x',
    '/graphql?access_token=x',
    '/v1/status?k=KEY',
  ])('in the URL is rejected: %s', async (target) => {
    for (const auth of modes) {
      const response = await send(auth, local, target);
      const text = await response.text();
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toBe('Bearer realm="gateway"');
      expect(text).toContain('missing_api_key');
      expect(text).toContain(
        'in the URL are ignored because they end up in logs. Send the key in the X-API-Key',
      );
      expect(text).not.toContain(key.slice(4, 12));
    }
  });
});

describe('a request without an API key', () => {
  it.each([
    'X-Nothing: x',
    'X-API-Key:',
    'Authorization: Basic dXNlcjpwYXNz',
    'Cookie: x-api-key=KEY',
  ])(
    'is rejected with AUTH=required, even if it is local, and accepted with AUTH=open: %s',
    async (line) => {
      const rejection = await send('required', [local, line]);
      expect([rejection.status, (await rejection.json()).code]).toEqual([401, 'missing_api_key']);
      const { status } = await send('open', ['Host: gateway.example', 'Via: 1.1 proxy', line]);
      expect(status).toBe(200);
    },
  );

  const accepted: Requests = {
    'a loopback address': local,
    'another loopback address': 'Host: 127.1.2.3',
    IPv6: 'Host: [::1]:4000',
    'a name': 'Host: LocalHost',
    'a name under localhost': 'Host: gateway.localhost:4000',
    'a page from this machine': [local, 'Origin: http://localhost:3000'],
    'a page of the gateway': [local, 'Sec-Fetch-Site: same-origin'],
    'a page at another port': [local, 'Sec-Fetch-Site: same-site', 'Origin: http://127.0.0.1:3000'],
    'a resource of a page at another port': [local, 'Sec-Fetch-Site: same-site'],
    'an address that a user typed': [local, 'Sec-Fetch-Site: none'],
  };
  it.each(Object.entries(accepted))(
    'is accepted with AUTH=auto if it is local: %s',
    async (_, lines) => {
      expect((await send('auto', lines)).status).toBe(200);
    },
  );

  const rejected: Requests = {
    'a rebound DNS name': 'Host: evil.example:4000',
    'a host name that starts with a loopback address': 'Host: 127.0.0.1.evil.example',
    'a host name that ends with localhost': 'Host: notlocalhost',
    'a page of another site': [local, 'Origin: https://evil.example'],
    'a page without an origin': [local, 'Origin: null'],
    'a resource of a page of another site': [local, 'Sec-Fetch-Site: cross-site'],
    'a page at another loopback host': [
      local,
      'Sec-Fetch-Site: cross-site',
      'Origin: http://localhost:3000',
    ],
    'a page of the same site that is not on this machine': [
      local,
      'Sec-Fetch-Site: same-site',
      'Origin: https://a.example',
    ],
    'an unknown Sec-Fetch-Site': [local, 'Sec-Fetch-Site: elsewhere'],
    'an empty Sec-Fetch-Site': [local, 'Sec-Fetch-Site:'],
    'two Sec-Fetch-Site headers': [
      local,
      'Sec-Fetch-Site: same-origin',
      'Sec-Fetch-Site: cross-site',
    ],
  };
  it.each(Object.entries(rejected))('is rejected with AUTH=auto: %s', async (_, lines) => {
    expect((await send('auto', lines)).status).toBe(401);
  });

  const proxyHeaders = `X-Forwarded-For X-Forwarded-Host X-Forwarded-Proto Forwarded Via X-Real-IP
    CF-Connecting-IP True-Client-IP X-Client-IP X-Cluster-Client-IP X-Original-Forwarded-For
    X-Envoy-External-Address Fastly-Client-IP Fly-Client-IP X-Azure-ClientIP CF-Ray CDN-Loop
    X-Amz-Cf-Id X-Varnish Tailscale-User-Login`.split(/\s+/);
  it.each(proxyHeaders)('is rejected with AUTH=auto: a proxy: %s', async (name) => {
    expect((await send('auto', [local, `${name}: 127.0.0.1`])).status).toBe(401);
  });

  it.each([
    ['Sec-Fetch-Site: cross-site', ' for requests from pages of other sites'],
    ['Origin: https://app.example', ' for requests from pages of other sites'],
    ['Via: 1.1 proxy', ' for requests through a proxy'],
    ['Host: rebound.example', ''],
  ])('says why with AUTH=auto: %s', async (line, reason) => {
    const lines = line.startsWith('Host') ? line : [local, line];
    const { detail } = await (await send('auto', lines)).json();
    expect(detail).toContain(`This gateway requires an API key${reason}. Send the key`);
    const required = await (await send('required', lines)).json();
    expect(required.detail).toContain('This gateway requires an API key. Send the key');
  });

  it.each([
    { peer: '127.9.9.9', isAccepted: true },
    { peer: '::1', isAccepted: true },
    { peer: '::ffff:127.0.0.1', isAccepted: true },
    { peer: '203.0.113.9', isAccepted: false },
    { peer: undefined, isAccepted: false }, // a closed socket
  ])('is local if its peer is, whatever its headers: $peer', ({ peer, isAccepted }) => {
    const socket = { remoteAddress: peer };
    expect(isLocal({ headersDistinct: { host: ['127.0.0.1:4000'] }, socket })).toBe(isAccepted);
  });

  it.each([[''], ['localhost@evil.example'], ['localhost', 'localhost']])(
    'is not local: Host: %s %s',
    (...host) => {
      const socket = { remoteAddress: '127.0.0.1' };
      expect(isLocal({ headersDistinct: { host }, socket })).toBe(false);
    },
  );
});
