import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startFakeRegistry, type FakeRegistry } from '../support/fake-registry.ts';
import { startGateway, type Gateway } from '../support/gateway.ts';
import { startMeteredGateway } from '../support/metered-gateway.ts';
import { sendRaw } from '../support/raw-http.ts';
import { notFound, status } from '../support/replies.ts';
import { scrape, scrapeUntil, since } from '../support/scrape.ts';
import { paused } from '../support/scripts.ts';
import { subscribe } from '../support/subscription.ts';

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

describe('a request is counted by door, status and code', () => {
  it.each<[string, (at: Gateway) => Promise<unknown>, Record<string, string>]>([
    [
      'an answer',
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
      'no name',
      (at) => at.get('/v1/rdap?domain=-'),
      { route: '/v1/rdap', status: '400', code: 'invalid_name' },
    ],
    [
      'a query that is none',
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
      'a path that only has a name',
      (at) => at.get('/v1/tech'),
      { route: '/v1/tech', status: '501', code: 'not_implemented' },
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
      'what is no request',
      (at) => sendRaw(at.url, 'NONSENSE\r\n\r\n'),
      { route: 'unmatched', status: '400', code: 'malformed_request' },
    ],
    [
      'whether it is alive',
      (at) => at.fetch('/health'),
      { route: '/health', status: '200', code: 'ok' },
    ],
    ['the figures', (at) => at.fetch('/metrics'), { route: '/metrics', status: '200', code: 'ok' }],
  ])('%s', async (_what, ask, labels) => {
    const before = await scrape(gateway);
    await ask(gateway);
    const counted = since(before, await scrape(gateway));
    // The scrape before this one is counted, too.
    const scrapes = labels['route'] === '/metrics' ? 1 : 0;
    expect(counted(requests, labels)).toBe(1 + scrapes);
    expect(counted(requests)).toBe(2);
    const isRead = labels['code'] !== 'malformed_request';
    expect(
      counted('rdap_gateway_http_request_duration_seconds_count', { route: labels['route'] ?? '' }),
    ).toBe(isRead ? 1 + scrapes : 0);
  });
});

it('who is refused is counted by why', async () => {
  await using metered = await startMeteredGateway({ env: { RATE_LIMIT: '10' } });
  const [poor, quick] = [await metered.newCustomer({ credits: 0 }), await metered.newCustomer()];
  await metered.gateway.fetch('/v1/status?domain=a.example');
  await poor.fetch('/v1/status?domain=a.example');
  for (let times = 0; times < 12; times++) await quick.fetch('/v1/status?domain=a.test');
  const { sum } = await scrape(metered.gateway);
  const codes = ['missing_api_key', 'insufficient_credits', 'rate_limited'];
  // The first of them all asked without a key, when the gateway started.
  expect(codes.map((code) => sum(requests, { code }))).toEqual([2, 1, 2]);
});

it('old names are counted by path and name, whoever uses them', async () => {
  await gateway.get('/v1/status?domain=a.example&skip_cache=0&prefer_cache=1');
  await gateway.post('/v1/status/bulk', {
    domains: ['a.example'],
    options: { 'cache-skip': null, skip_cache: true },
  });
  await gateway.get('/v1/robots?skip_cache=1');
  const { sum } = await scrape(gateway);
  const uses = (route: string, alias: string) =>
    sum('rdap_gateway_deprecated_alias_uses_total', { route, alias });
  expect([
    uses('/v1/status', 'skip_cache'),
    uses('/v1/status', 'prefer_cache'),
    uses('/v1/status/bulk', 'skip_cache'),
  ]).toEqual([1, 1, 1]);
  expect([
    uses('/v1/robots', 'skip_cache'),
    sum('rdap_gateway_deprecated_alias_uses_total'),
  ]).toEqual([1, 4]);
});

describe('an answer that comes bit by bit', () => {
  const search = 'domains: ["a.example", "slow.example"]';

  it('is open until it has ended, and whole then', async () => {
    const slow = paused(notFound());
    registry.on('slow.example', slow);
    await using stream = await subscribe(gateway, search);
    await stream.take(1);
    const meanwhile = await scrape(gateway);
    expect([
      meanwhile.sum('rdap_gateway_http_streams_open'),
      meanwhile.sum('rdap_gateway_http_requests_in_flight'),
    ]).toEqual([1, 1]);
    slow.release();
    await stream.rest();
    const after = await scrapeUntil(
      gateway,
      ({ sum }) => sum('rdap_gateway_http_streams_open') === 0,
    );
    expect(
      after.sum('rdap_gateway_http_streams_total', { route: '/graphql', outcome: 'completed' }),
    ).toBe(1);
    expect([
      after.sum('rdap_gateway_http_streams_total'),
      after.sum('rdap_gateway_http_requests_in_flight'),
    ]).toEqual([1, 0]);
  });

  it('is cut when the client leaves', async () => {
    registry.on('slow.example', paused(notFound()));
    await using stream = await subscribe(gateway, search);
    await stream.take(1);
    stream.leave();
    const after = await scrapeUntil(
      gateway,
      ({ sum }) => sum('rdap_gateway_http_streams_open') === 0,
    );
    expect(
      after.sum('rdap_gateway_http_streams_total', { route: '/graphql', outcome: 'aborted' }),
    ).toBe(1);
  });
});

it('connections are counted while they are open', async () => {
  const { sum } = await scrape(gateway);
  expect(sum('rdap_gateway_http_connections_open')).toBeGreaterThan(0);
});
