import { beforeEach, describe, expect, it } from 'vitest';
import { forThisTest } from '../support/for-this-test.ts';
import { startFakeRegistry, type FakeRegistry } from '../support/servers/fake-registry.ts';
import { startGateway, type Gateway } from '../support/gateways/gateway.ts';
import { startMeteredGateway } from '../support/gateways/metered-gateway.ts';
import { sendRaw } from '../support/requests/raw-http.ts';
import { notFound, status } from '../support/bodies/replies.ts';
import { scrape, scrapeUntil, since } from '../support/checks/scrape.ts';
import { paused } from '../support/bodies/scripts.ts';
import { subscribe } from '../support/requests/subscription.ts';

let registry: FakeRegistry;
let gateway: Gateway;
beforeEach(async () => {
  registry = await forThisTest(startFakeRegistry);
  registry.on('broken.example', status(500));
  gateway = await forThisTest(startGateway, { registries: { example: registry.baseUrl } });
});

const requests = 'rdap_gateway_http_requests_total';

describe('rdap_gateway_http_requests_total', () => {
  /** Requests, by the labels with which they are counted. */
  const sent: Readonly<Record<string, (at: Gateway) => Promise<unknown>>> = {
    '/v1/status 200 ok: a status call': (at) => at.get('/v1/status?domain=a.example'),
    '/v1/rdap 200 ok: a record': (at) => at.get('/v1/rdap?domain=a.example'),
    '/v1/status/bulk 200 ok: a bulk call': (at) =>
      at.post('/v1/status/bulk', { domains: ['a.example'] }),
    '/graphql 200 ok: a query': (at) => at.graphql('{ domain(name: "a.example") { id } }'),
    '/v1/rdap 400 invalid_name: an invalid name': (at) => at.get('/v1/rdap?domain=-'),
    '/graphql 200 invalid_query: an invalid query': (at) => at.graphql('{ nothing }'),
    '/graphql 200 invalid_parameter: a field that failed': (at) =>
      at.graphql('{ domain(name: "broken.example") { status } tlds(first: -1) { totalCount } }'),
    '/v1/rdap 502 registry_error: a registry that failed': (at) =>
      at.get('/v1/rdap?domain=broken.example'),
    '/v1/certificates 501 not_implemented: a lookup that needs a setting': (at) =>
      at.get('/v1/certificates?domain=shop.example'),
    '/v1/rdap 405 method_not_allowed: a wrong method': (at) =>
      at.fetch('/v1/rdap', { method: 'PUT' }),
    '/v1/rdap 204 ok: a preflight': (at) => at.fetch('/v1/rdap', { method: 'OPTIONS' }),
    'static 200 ok: a page': (at) => at.fetch('/docs/errors'),
    'unmatched 404 not_found: any other path': (at) => at.fetch('/a.example/x'),
    'unmatched 400 malformed_request: a malformed request': (at) =>
      sendRaw(at.url, 'NONSENSE\r\n\r\n'),
    '/health 200 ok: a health check': (at) => at.fetch('/health'),
    '/metrics 200 ok: metrics': (at) => at.fetch('/metrics'),
  };

  it.each(Object.entries(sent))(
    'counts requests by route, status and code: %s',
    async (title, send) => {
      const [route = '', answered = '', code = ''] = title.split(/ |: /);
      const labels = { route, status: answered, code };
      const before = await scrape(gateway);
      await send(gateway);
      const counted = since(before, await scrape(gateway));
      // The previous scrape is counted too.
      const scrapes = route === '/metrics' ? 1 : 0;
      expect(counted(requests, labels)).toBe(1 + scrapes);
      expect(counted(requests)).toBe(2);
      const isRead = code !== 'malformed_request';
      expect(counted('rdap_gateway_http_request_duration_seconds_count', { route })).toBe(
        isRead ? 1 + scrapes : 0,
      );
    },
  );
});

it('counts rejected requests by code', async () => {
  await using metered = await startMeteredGateway({ env: { RATE_LIMIT: '10' } });
  const [withoutCredits, frequent] = [
    await metered.newCustomer({ credits: 0 }),
    await metered.newCustomer(),
  ];
  await metered.gateway.fetch('/v1/status?domain=a.example');
  await withoutCredits.fetch('/v1/status?domain=a.example');
  for (let times = 0; times < 12; times++) await frequent.fetch('/v1/status?domain=a.test');
  const { sum } = await scrape(metered.gateway);
  const codes = ['missing_api_key', 'insufficient_credits', 'rate_limited'];
  // One request without a key was sent when the gateway started.
  expect(codes.map((code) => sum(requests, { code }))).toEqual([2, 1, 2]);
});

it('counts uses of deprecated aliases by route and alias', async () => {
  await gateway.get('/v1/status?domain=a.example&skip_cache=0&prefer_cache=1');
  await gateway.post('/v1/status/bulk', {
    domains: ['a.example'],
    options: { 'cache-skip': null, skip_cache: true },
  });
  await gateway.get('/v1/robots?skip_cache=1');
  const { sum } = await scrape(gateway);
  const uses = (route: string, alias: string) =>
    sum('rdap_gateway_deprecated_alias_uses_total', { route, alias });
  expect(uses('/v1/status', 'skip_cache')).toBe(1);
  expect(uses('/v1/status', 'prefer_cache')).toBe(1);
  expect(uses('/v1/status/bulk', 'skip_cache')).toBe(1);
  expect(uses('/v1/robots', 'skip_cache')).toBe(1);
  expect(sum('rdap_gateway_deprecated_alias_uses_total')).toBe(4);
});

describe('a streamed response', () => {
  const search = 'domains: ["a.example", "slow.example"]';

  it('is counted as open, and as completed at its end', async () => {
    const slow = paused(notFound());
    registry.on('slow.example', slow);
    await using stream = await subscribe(gateway, search);
    await stream.take(1);
    const meanwhile = await scrape(gateway);
    expect(meanwhile.sum('rdap_gateway_http_streams_open')).toBe(1);
    expect(meanwhile.sum('rdap_gateway_http_requests_in_flight')).toBe(1);
    slow.release();
    await stream.rest();
    const after = await scrapeUntil(
      gateway,
      ({ sum }) => sum('rdap_gateway_http_streams_open') === 0,
    );
    expect(
      after.sum('rdap_gateway_http_streams_total', { route: '/graphql', outcome: 'completed' }),
    ).toBe(1);
    expect(after.sum('rdap_gateway_http_streams_total')).toBe(1);
    expect(after.sum('rdap_gateway_http_requests_in_flight')).toBe(0);
  });

  it('is counted as aborted if the client disconnects', async () => {
    registry.on('slow.example', paused(notFound()));
    await using stream = await subscribe(gateway, search);
    await stream.take(1);
    stream.close();
    const after = await scrapeUntil(
      gateway,
      ({ sum }) => sum('rdap_gateway_http_streams_open') === 0,
    );
    expect(
      after.sum('rdap_gateway_http_streams_total', { route: '/graphql', outcome: 'aborted' }),
    ).toBe(1);
  });
});

it('counts open connections', async () => {
  const { sum } = await scrape(gateway);
  expect(sum('rdap_gateway_http_connections_open')).toBeGreaterThan(0);
});
