import { describe, expect, it } from 'vitest';
import { generateKey, hashOf } from '../../src/accounts/api-key.ts';
import { systemClock } from '../../src/clock.ts';
import { forThisFile } from '../support/for-this-file.ts';
import type { Json } from '../support/gateways/gateway.ts';
import { startMeteredGateway } from '../support/gateways/metered-gateway.ts';
import { parseResponse, sendRaw } from '../support/requests/raw-http.ts';
import { runKeys } from '../support/gateways/command-line.ts';

let offsetMs = 0;

const metered = await forThisFile(startMeteredGateway, {
  clock: { ...systemClock, elapsed: () => systemClock.elapsed() + offsetMs },
});
const customer = await metered.newCustomer();

const path = '/v1/status?domain=a.test';

/** Runs the `keys` command on the ledger of the running gateway. */
async function keys(...args: readonly string[]): Promise<Json> {
  const { code, stdout, stderr } = await runKeys(`sqlite:${metered.folder}/gateway.db`, args);
  expect([code, stderr]).toEqual([0, '']);
  return args.includes('--json') ? JSON.parse(stdout) : stdout;
}

const statusWithKey = async (key: string, headers: Record<string, string> = {}) =>
  (await metered.gateway.fetch(path, { headers: { 'x-api-key': key, ...headers } })).status;

describe('the `keys` command, while the gateway is running,', () => {
  it('creates a key that works immediately, and revokes it within 2 seconds', async () => {
    const { id, key } = await keys('create', '--name', 'App', '--json');
    expect(await statusWithKey(key)).toBe(200);
    await keys('revoke', id);
    offsetMs += 2000;
    expect(await statusWithKey(key)).toBe(401);
  });

  it('rejects an expired key as invalid', async () => {
    const key = generateKey();
    const expiresAt = systemClock.now() - 1;
    await metered.ledger.create(
      { name: 'Past', credits: null, origins: [], expiresAt },
      hashOf(key),
    );
    const response = await metered.gateway.fetch(path, { headers: { 'x-api-key': key } });
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ code: 'invalid_api_key' });
    await keys('set', 'Past', '--expires', '1d');
    offsetMs += 2000;
    expect(await statusWithKey(key)).toBe(200);
  });

  it('rotates a key, which still works alongside the new one', async () => {
    const { id, key } = await keys('create', '--name', 'App', '--json');
    const { key: fresh } = await keys('rotate', id, '--json');
    expect([await statusWithKey(key), await statusWithKey(fresh)]).toEqual([200, 200]);
    await keys('revoke', id);
    offsetMs += 2000;
    expect([await statusWithKey(key), await statusWithKey(fresh)]).toEqual([401, 401]);
  });

  it('changes the credits and origins of an account within 2 seconds', async () => {
    const { id, key } = await keys('create', '--name', 'App', '--credits', '0', '--json');
    const lookUp = async () =>
      (
        await metered.gateway.fetch('/v1/status?domain=a.example', {
          headers: { 'x-api-key': key },
        })
      ).status;
    expect(await lookUp()).toBe(402);
    await keys('set', id, '--credits', '1');
    expect([await lookUp(), await lookUp()]).toEqual([200, 402]);
    await keys('set', id, '--credits', '2', '--origin', 'https://app.example');
    offsetMs += 2000;
    expect(await lookUp()).toBe(403);
  });

  it('creates a key with --origin that works only from that origin', async () => {
    const { key } = await keys(
      'create',
      '--name',
      'Page',
      '--origin',
      'https://app.example',
      '--json',
    );
    expect(await statusWithKey(key, { origin: 'https://app.example' })).toBe(200);
    expect(await statusWithKey(key, { origin: 'https://other.example' })).toBe(403);
    expect(await statusWithKey(key)).toBe(403);
  });
});

describe('an API key', () => {
  it.each<[string, (key: string) => Record<string, string>]>([
    ['in X-API-Key', (key) => ({ 'x-api-key': key })],
    ['as a Bearer token', (key) => ({ authorization: `Bearer ${key}` })],
    ['in both headers', (key) => ({ 'x-api-key': key, authorization: `bearer ${key}` })],
  ])('%s is accepted', async (_, headersOf) => {
    const answer = await metered.gateway.fetch(path, { headers: headersOf(customer.key) });
    expect([answer.status, answer.headers.get('x-credits-requested')]).toEqual([200, '0']);
  });

  it.each<[string, string, (key: string) => Record<string, string>]>([
    ['that is missing', 'missing_api_key', () => ({})],
    ['that is empty', 'missing_api_key', () => ({ 'x-api-key': '' })],
    ['that is unknown', 'invalid_api_key', () => ({ 'x-api-key': generateKey() })],
    [
      'that is mistyped',
      'invalid_api_key',
      (key) => ({ 'x-api-key': `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}` }),
    ],
    ['that is truncated', 'invalid_api_key', (key) => ({ 'x-api-key': key.slice(0, 20) })],
    ['repeated in one header', 'invalid_api_key', (key) => ({ 'x-api-key': `${key}, ${key}` })],
    [
      'together with another one',
      'invalid_api_key',
      (key) => ({ 'x-api-key': key, authorization: `Bearer ${generateKey()}` }),
    ],
    [
      'in Basic credentials',
      'missing_api_key',
      (key) => ({ authorization: `Basic ${btoa(`${key}:`)}` }),
    ],
    ['in a cookie', 'missing_api_key', (key) => ({ cookie: `x-api-key=${key}` })],
    ['with non-ASCII characters', 'invalid_api_key', () => ({ 'x-api-key': 'rgw_ÿÿÿÿ' })],
  ])('%s is rejected by both APIs', async (_, code, headersOf) => {
    const headers = headersOf(customer.key);
    const answer = await metered.gateway.fetch(path, { headers });
    expect([answer.status, (await answer.json()).code]).toEqual([401, code]);
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer realm="gateway"/);
    const graphql = await metered.gateway.post('/graphql', { query: '{ __typename }' }, headers);
    expect([graphql.status, (await graphql.json()).errors[0].extensions.code]).toEqual([401, code]);
  });

  it.each([`&api_key=`, '&key=', '&apikey='])('in the URL (%s) is ignored', async (parameter) => {
    const answer = await metered.gateway.fetch(`${path}${parameter}${customer.key}`);
    expect([answer.status, (await answer.json()).code]).toEqual([401, 'missing_api_key']);
  });

  it('in two headers is rejected even if they are equal', async () => {
    const lines = `X-API-Key: ${customer.key}\r\n`.repeat(2);
    const text = `GET ${path} HTTP/1.1\r\nHost: gateway.test\r\n${lines}Connection: close\r\n\r\n`;
    expect(parseResponse(await sendRaw(metered.gateway.url, text)).status).toBe(401);
  });

  it('is not required for endpoints without lookups', async () => {
    const paths = ['/health', '/ready', '/docs', '/openapi.json', '/', '/graphql'];
    const statuses = await Promise.all(
      paths.map(
        async (publicPath) =>
          (await metered.gateway.fetch(publicPath, { headers: { accept: 'text/html, */*' } }))
            .status,
      ),
    );
    expect(statuses).toEqual(paths.map(() => 200));
    expect((await metered.gateway.fetch('/v1/status', { method: 'OPTIONS' })).status).toBe(204);
  });
});
