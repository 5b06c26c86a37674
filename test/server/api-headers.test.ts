import { describe, expect, it } from 'vitest';
import { forThisFile } from '../support/for-this-file.ts';
import { startMeteredGateway } from '../support/gateways/metered-gateway.ts';
import { registered, status } from '../support/bodies/replies.ts';
import { sequence } from '../support/bodies/scripts.ts';
import { frozenClock } from '../support/time/frozen-clock.ts';

const clock = frozenClock();
const metered = await forThisFile(startMeteredGateway, { clock });
metered.registry.on(/^taken/, ({ name }) => registered(name));
metered.registry.on(/^down/, status(500));
const customer = await metered.newCustomer();

const json = { 'content-type': 'application/json' };
const bulk = (body: unknown, headers = {}) => ({
  method: 'POST',
  headers: { ...json, ...headers },
  body: JSON.stringify(body),
});

const requests: [code: number, path: string, init?: RequestInit][] = [
  [200, '/v1/status?domain=taken.example'],
  [200, '/v1/status?domain=taken.example', { method: 'HEAD' }],
  [200, '/v1/rdap?domain=taken.example'],
  [200, '/v1/status/bulk', bulk({ domains: ['taken.example'] })],
  [
    200,
    '/v1/status/bulk',
    bulk({ domains: ['taken.example'] }, { accept: 'application/x-ndjson' }),
  ],
  [204, '/v1/status', { method: 'OPTIONS' }],
  [400, '/v1/status?max_age=x'],
  [401, '/v1/status?domain=taken.example', { headers: { 'x-api-key': 'wrong' } }],
  [404, '/v1/nothing'],
  [404, '/v1'],
  [405, '/v1/rdap', { method: 'DELETE' }],
  [413, '/v1/status/bulk', bulk({ domains: ['x'.repeat(70_000)] })],
  [501, '/v1/certificates?domain=shop.example'],
  [502, '/v1/rdap?domain=down.example'],
];

describe('every response under /v1', () => {
  it.each(requests)(
    'has the API version and the response time in its headers: %i of %s',
    async (code, path, init) => {
      const { status: sent, headers } = await customer.fetch(path, init);
      expect([sent, headers.get('x-api-version')]).toEqual([code, '1']);
      expect(headers.get('x-response-time')).toMatch(/^\d+$/);
    },
  );

  it('has them even if it is a 304', async () => {
    const etag =
      (await customer.fetch('/v1/status?domain=taken-304.example')).headers.get('etag') ?? '';
    const { status: sent, headers } = await customer.fetch('/v1/status?domain=taken-304.example', {
      headers: { 'if-none-match': etag },
    });
    expect(sent).toBe(304);
    expect(headers.get('x-api-version')).toBe('1');
    expect(headers.get('x-data-freshness')).toBe('cached');
    expect(headers.get('x-response-time')).toMatch(/^\d+$/);
  });
});

it.each(['/health', '/docs', '/v1x', '/graphql'])(
  'omits the API version and the response time outside of /v1: %s',
  async (path) => {
    const { headers } = await customer.fetch(path);
    expect([headers.get('x-api-version'), headers.get('x-response-time')]).toEqual([null, null]);
  },
);

const freshnessOf = async (path: string, init?: RequestInit) =>
  (await customer.fetch(path, init)).headers.get('x-data-freshness');

describe('X-Data-Freshness', () => {
  it.each(['/v1/status?domain=NAME', '/v1/rdap?domain=NAME', 'bulk'])(
    'is fresh for the first response, and then cached: %s',
    async (path) => {
      const name = `taken-${path.replaceAll(/\W/g, '').toLowerCase()}.example`;
      const lookUp = () =>
        path === 'bulk'
          ? freshnessOf('/v1/status/bulk', bulk({ domains: [name] }))
          : freshnessOf(path.replace('NAME', name));
      expect(await lookUp()).toBe('fresh');
      expect(await lookUp()).toBe('cached');
      expect(await lookUp()).toBe('cached');
    },
  );

  it('is computed for each response to the same request', async () => {
    const path = '/v1/status?domain=taken-again.example&max_age=10';
    const earlier = [await freshnessOf(path), await freshnessOf(path), await freshnessOf(path)];
    clock.advance(11_000);
    expect([...earlier, await freshnessOf(path)]).toEqual(['fresh', 'cached', 'cached', 'fresh']);
  });

  it('is mixed if some verdicts are cached and some are not', async () => {
    await freshnessOf('/v1/status?domain=taken-one.example');
    expect(await freshnessOf('/v1/status?domain=taken-one.example,taken-two.example')).toBe(
      'mixed',
    );
  });

  it('is stale if the registry fails and only stale verdicts are available', async () => {
    metered.registry.on('old.example', sequence([({ name }) => registered(name), status(403)]));
    await freshnessOf('/v1/status?domain=old.example');
    clock.advance(2 * 86_400_000);
    expect(await freshnessOf('/v1/status?domain=old.example')).toBe('stale');
    expect(await freshnessOf('/v1/status?domain=old.example,taken-new.example')).toBe('mixed');
  });

  it('depends only on rows with a verdict', async () => {
    expect(await freshnessOf('/v1/status?domain=down.example,not%20a%20name,a.no-such-tld')).toBe(
      'unknown',
    );
    await freshnessOf('/v1/status?domain=taken-cached.example');
    expect(
      await freshnessOf('/v1/status?domain=taken-cached.example,down.example,not%20a%20name'),
    ).toBe('cached');
  });

  it('is absent from NDJSON responses and problems', async () => {
    const ndjson = await customer.fetch(
      '/v1/status/bulk',
      bulk({ domains: ['taken.example'] }, { accept: 'application/x-ndjson' }),
    );
    const problem = await customer.fetch('/v1/rdap?domain=down.example');
    expect([ndjson, problem].map(({ headers }) => headers.get('x-data-freshness'))).toEqual([
      null,
      null,
    ]);
  });
});
