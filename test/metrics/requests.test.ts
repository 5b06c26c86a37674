import { afterEach, beforeEach, describe, expect, it } from 'vitest';
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
  registry = await startFakeRegistry();
  registry.on('broken.example', status(500));
  gateway = await startGateway({ registries: { example: registry.baseUrl } });
});
afterEach(async () => {
  await gateway[Symbol.asyncDispose]();
  await registry.close();
});

const requests = 'rdap_gateway_http_requests_total';

describe('rdap_gateway_http_requests_total', () => {
  it.each<[string, (at: Gateway) => Promise<unknown>, Record<string, string>]>([
    [
      'a status call',
      (at) => at.get('/v1/status?domain=a.example'),
      { route: '/v1/status', status: '200', code: 'ok' },
    ],
    [
      'a record',
      (at) => at.get('/v1/rdap?domain=a.example'),
      { route: '/v1/rdap', status: '200', code: 'ok' },
    ],
    [
      'a bulk call',
      (at) => at.post('/v1/status/bulk', { domains: ['a.example'] }),
      { route: '/v1/status/bulk', status: '200', code: 'ok' },
    ],
    [
      'a query',
      (at) => at.graphql('{ domain(name: "a.example") { id } }'),
      { route: '/graphql', status: '200', code: 'ok' },
    ],
    [
      'an invalid name',
      (at) => at.get('/v1/rdap?domain=-'),
      { route: '/v1/rdap', status: '400', code: 'invalid_name' },
    ],
    [
      'an invalid query',
      (at) => at.graphql('{ nothing }'),
      { route: '/graphql', status: '200', code: 'invalid_query' },
    ],
    [
      'a field that failed',
      (at) =>
        at.graphql('{ domain(name: "broken.example") { status } tlds(first: -1) { totalCount } }'),
      { route: '/graphql', status: '200', code: 'invalid_parameter' },
    ],
    [
      'a registry that failed',
      (at) => at.get('/v1/rdap?domain=broken.example'),
      { route: '/v1/rdap', status: '502', code: 'registry_error' },
    ],
    [
      'a lookup that needs a setting',
      (at) => at.get('/v1/certificates?domain=shop.example'),
      { route: '/v1/certificates', status: '501', code: 'not_implemented' },
    ],
    [
      'a wrong method',
      (at) => at.fetch('/v1/rdap', { method: 'PUT' }),
      { route: '/v1/rdap', status: '405', code: 'method_not_allowed' },
    ],
    [
      'a preflight',
      (at) => at.fetch('/v1/rdap', { method: 'OPTIONS' }),
      { route: '/v1/rdap', status: '204', code: 'ok' },
    ],
    ['a page', (at) => at.fetch('/docs/errors'), { route: 'static', status: '200', code: 'ok' }],
    [
      'any other path',
      (at) => at.fetch('/a.example/x'),
      { route: 'unmatched', status: '404', code: 'not_found' },
    ],
    [
      'a malformed request',
      (at) => sendRaw(at.url, 'NONSENSE\r\n\r\n'),
      { route: 'unmatched', status: '400', code: 'malformed_request' },
    ],
    [
      'a health check',
      (at) => at.fetch('/health'),
      { route: '/health', status: '200', code: 'ok' },
    ],
    ['metrics', (at) => at.fetch('/metrics'), { route: '/metrics', status: '200', code: 'ok' }],
  ])('counts %s by route, status and code', async (_what, send, labels) => {
    const before = await scrape(gateway);
    await send(gateway);
    const counted = since(before, await scrape(gateway));
    // The previous scrape is counted too.
    const scrapes = labels['route'] === '/metrics' ? 1 : 0;
    expect(counted(requests, labels)).toBe(1 + scrapes);
    expect(counted(requests)).toBe(2);
    const isRead = labels['code'] !== 'malformed_request';
    expect(
      counted('rdap_gateway_http_request_duration_seconds_count', { route: labels['route'] ?? '' }),
    ).toBe(isRead ? 1 + scrapes : 0);
  });
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
