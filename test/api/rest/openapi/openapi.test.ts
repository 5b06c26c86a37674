import { describe, expect, it } from 'vitest';
import { siteEndpoints } from '../../../../src/sites/features.ts';
import { expectMatchesOpenApi } from '../../../support/checks/described.ts';
import { startFakeRegistry } from '../../../support/servers/fake-registry.ts';
import { forThisFile } from '../../../support/for-this-file.ts';
import { startGateway } from '../../../support/gateways/gateway.ts';
import { notFound, status } from '../../../support/bodies/replies.ts';

const registry = await forThisFile(startFakeRegistry);
registry.on('nic.example', notFound());
registry.on('busy.example', status(429, { 'retry-after': '3600' }));
const gateway = await forThisFile(startGateway, {
  registries: { example: registry.baseUrl },
  env: { RDAP_TIMEOUT_MS: '300', RATE_LIMIT: '0' },
});

const bulk = (body: unknown, headers: Record<string, string> = {}) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});
const domains = ['taken.test', 'free.test', 'taken.test', 'not a name', 'example.zz', 'down.test'];

const names = ['/v1/status?domain=taken.test', '/v1/rdap?domain=taken.test'];

const requests: readonly [status: number, path: string, init?: RequestInit][] = [
  [200, '/v1/status?name=taken&tlds=test,zz,co.uk,shop.test'],
  [
    200,
    '/v1/status?domain=taken.test,reserved.test,redemption.test,pending.test,free.test,down.test,www.example.test,zz',
  ],
  [200, '/v1/status?domain=taken.test&skip_cache&naming=snake'],
  [200, '/v1/status?domain=taken.test', { headers: { accept: 'text/csv' } }],
  [400, '/v1/status'],
  [400, '/v1/status?name=&tlds=test'],
  [400, '/v1/status?name=-&tlds=test'],
  [400, '/v1/status?name=taken&tlds=test&domain=taken.test'],
  [400, '/v1/status?name=taken&name=free&tlds=test'],
  [400, '/v1/status?domain=taken.test&max_age=soon'],
  [400, '/v1/status?domain=taken.test&naming=camel'],
  [400, `/v1/status?name=taken&tlds=${'test,'.repeat(60)}`],
  [400, '/v1/status?domain=taken.test&prefer_cache&prefer_cache'],
  [200, '/v1/rdap?domain=taken.test'],
  [200, '/v1/rdap?domain=taken.test&naming=snake'],
  [200, '/v1/rdap?domain=free.test'],
  [200, '/v1/rdap?domain=reserved.test'],
  [200, '/v1/rdap?domain=taken.dns-only.test'],
  [200, '/v1/rdap?domain=free.das-only.test'],
  [200, '/v1/status?name=taken&tlds=dns-only.test,das-only.test,contradicted.test'],
  [200, '/v1/rdap?query=192.0.2.53'],
  [200, '/v1/rdap?query=2001:db8:1::/48&naming=snake'],
  [200, '/v1/rdap?query=203.0.113.1'],
  [200, '/v1/rdap?query=AS64497'],
  [200, '/v1/rdap?query=EXAMPLE-DNS-SANDBOX'],
  [200, '/v1/rdap?query=9999-SANDBOX&type=entity&tld=test'],
  [200, '/v1/rdap?query=ns1.example-dns.test&type=nameserver'],
  [400, '/v1/rdap?query=192.0.2.300'],
  [502, '/v1/rdap?query=203.0.113.130'],
  [400, '/v1/rdap'],
  [400, '/v1/rdap', { headers: { accept: 'application/json' } }],
  [400, '/v1/rdap?domain=www.example.test'],
  [400, '/v1/rdap?domain=taken.zz'],
  [502, '/v1/rdap?domain=down.test'],
  [502, '/v1/rdap?domain=html.test'],
  [502, '/v1/rdap?domain=free.dns-only.test'],
  [502, '/v1/rdap?domain=taken.contradicted.test'],
  [503, '/v1/rdap?domain=busy.example'],
  [504, '/v1/rdap?domain=hang.test'],
  [200, '/v1/status/bulk', bulk({ domains })],
  [
    200,
    '/v1/status/bulk',
    bulk({
      names: ['taken', 'free'],
      tlds: ['test', 'shop.test'],
      options: { prefer_cache: true },
    }),
  ],
  [200, '/v1/status/bulk', bulk({ domains }, { accept: 'application/x-ndjson' })],
  [200, '/v1/status/bulk', bulk({ domains }, { accept: 'text/csv' })],
  [400, '/v1/status/bulk', bulk({})],
  [400, '/v1/status/bulk', bulk({ domains: 'taken.test', tlds: [1], skip_cache: true })],
  [400, '/v1/status/bulk', bulk({ domains: [] })],
  [400, '/v1/status/bulk', bulk({ domains: ['taken.test'], max_age: -1 })],
  [
    400,
    '/v1/status/bulk',
    bulk({ domains: Array.from({ length: 501 }, (_, index) => `free-${index}.test`) }),
  ],
  [413, '/v1/status/bulk', bulk({ domains: ['x'.repeat(70_000)] })],
  [415, '/v1/status/bulk', { method: 'POST', body: 'domains=taken.test' }],
  [405, '/v1/status', { method: 'DELETE' }],
  [200, '/v1/tlds'],
  [200, '/v1/tlds?limit=1&naming=snake'],
  [400, '/v1/tlds?limit=0'],
  [400, '/v1/tlds?limit='],
  [400, '/v1/tlds?naming=camel'],
  [200, '/v1/coverage'],
  [400, '/v1/coverage?naming=camel'],
  [200, '/health'],
  [200, '/ready'],
  ...siteEndpoints.flatMap(({ path }): [number, string][] => [
    [
      200,
      `${path}?${path === '/v1/url-intelligence' ? 'url=https://taken.test/' : 'domain=taken.test'}`,
    ],
    [
      400,
      `${path}?limit=x&url=ftp:&domain=1&naming=camel&prefer_cache&skip_cache&refresh&cursor=2&offset=0`,
    ],
  ]),
];

const siteStates =
  'expired wrong-name self-signed tls10 http redirect loop private blocked forbidden error empty pdf'
    .split(' ')
    .map((state) => `taken-${state}.test`);

/** The paths for which a page that cannot be read is a result and no problem. */
const unreadablePages = {
  '/v1/url-intelligence': true,
  '/v1/identity-assets': true,
  '/v1/identity-resolution': true,
  '/v1/agent-readiness': true,
};

describe('the OpenAPI document', () => {
  it.each(requests)('describes the %i of %s', async (expected, path, init) => {
    const response = await gateway.fetch(path, init);
    expect(response.status).toBe(expected);
    await expectMatchesOpenApi(
      response,
      `${init?.method === 'POST' ? 'post' : 'get'} ${pathOf(path)}`,
    );
  });

  it.each(siteStates)('describes the site results of %s in every failure state', async (name) => {
    for (const { path } of siteEndpoints) {
      const query = path === '/v1/url-intelligence' ? `url=https://${name}/` : `domain=${name}`;
      const response = await gateway.fetch(`${path}?${query}`);
      if (path in unreadablePages) expect(response.status).toBe(200);
      else expect([200, 502, 504]).toContain(response.status);
      await expectMatchesOpenApi(response, `get ${path}`);
    }
  });

  it.each([...names, '/v1/tlds', '/v1/coverage'])('describes the 304 of %s', async (path) => {
    const etag = (await gateway.fetch(path)).headers.get('etag') ?? '';
    const response = await gateway.fetch(path, { headers: { 'if-none-match': etag } });
    expect(response.status).toBe(304);
    await expectMatchesOpenApi(response, `get ${pathOf(path)}`);
  });

  it.each([...names, '/v1/tlds', '/v1/coverage'])('describes the 401 of %s', async (path) => {
    await using locked = await startGateway({ env: { AUTH: 'required' } });
    for (const key of ['', 'wrong']) {
      const response = await locked.fetch(path, { headers: key ? { 'x-api-key': key } : {} });
      expect(response.status).toBe(401);
      await expectMatchesOpenApi(response, `get ${pathOf(path)}`);
    }
  });

  it('describes the 429 above the rate limit', async () => {
    await using strict = await startGateway({ env: { RATE_LIMIT: '10' } });
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => strict.fetch('/v1/status?domain=taken.test')),
    );
    const rejected = responses.filter((response) => response.status === 429);
    expect(rejected.length).toBeGreaterThan(0);
    await Promise.all(rejected.map((response) => expectMatchesOpenApi(response, 'get /v1/status')));
  });
});

function pathOf(path: string): `/${string}` {
  return new URL(path, gateway.url).pathname as `/${string}`;
}
