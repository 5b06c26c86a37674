import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { beforeEach, describe, expect, it } from 'vitest';
import { forThisTest } from '../support/for-this-test.ts';
import { startFakeRegistry, type FakeRegistry } from '../support/servers/fake-registry.ts';
import { startGateway, type Gateway } from '../support/gateways/gateway.ts';
import { startMeteredGateway } from '../support/gateways/metered-gateway.ts';
import { notFound, registered, status } from '../support/bodies/replies.ts';
import { sequence } from '../support/bodies/scripts.ts';
import { registerSdk } from '../support/checks/spans.ts';
import { linesOf, next, partsOf, remaining } from '../support/requests/streams.ts';
import { subscribe } from '../support/requests/subscription.ts';

const spans = registerSdk();
const unset = SpanStatusCode.UNSET;
const failed = SpanStatusCode.ERROR;

let registry: FakeRegistry;
let gateway: Gateway;
beforeEach(async () => {
  registry = await forThisTest(startFakeRegistry);
  registry.on(/^(?:nic|taken)/, ({ name }) => registered(name));
  gateway = await forThisTest(startGateway, {
    registries: { example: registry.baseUrl, other: registry.url('other/') },
    env: { RDAP_RATE: '0' },
  });
  await gateway.get('/v1/status?domain=first.example,first.other'); // triggers the canary checks
  await spans.requests(2);
  spans.reset();
});

const lookups = () => spans.ended.filter(({ name }) => name === 'lookup');
const registryRequests = () => spans.ended.filter(({ kind }) => kind === SpanKind.CLIENT);
const tldOf = ({ attributes }: ReadableSpan) => attributes['gateway.tld'];

it.each([
  ['taken.dns-only.test', ['DNS query']],
  ['free.das-only.test', ['DAS query', 'DNS query']],
])(
  'a query over another protocol than HTTP is a span of its own, within the lookup of %s',
  async (domain, queries) => {
    await gateway.get(`/v1/status?domain=${domain}`);
    await spans.requests(1);
    const [lookup] = lookups();
    const sent = registryRequests().filter(
      ({ parentSpanContext }) => parentSpanContext?.spanId === lookup?.spanContext().spanId,
    );
    expect(sent.map(({ name }) => name)).toEqual(queries);
  },
);

describe('a request', () => {
  it('is a span with HTTP attributes', async () => {
    await gateway.get('/v1/status?domain=taken.example');
    const [span] = await spans.requests(1);
    expect(span).toMatchObject({
      name: 'GET /v1/status',
      attributes: {
        'http.request.method': 'GET',
        'http.route': '/v1/status',
        'http.response.status_code': 200,
      },
      status: { code: unset },
    });
    expect(span?.parentSpanContext).toBeUndefined();
  });

  it.each([
    ['query', 200, 'query Secret { domain(name: "taken.example") { status } }'],
    ['query', 200, '{ __typename }'],
    ['mutation', 200, 'mutation Secret { unwatch(domains: ["a.test"]) { domain } }'],
    ['subscription', 200, 'subscription { availability(domains: ["a.test"]) { domain } }'],
    ['query', 400, '{ domains(domains: ["a.test"], budgetMs: -1) { domain } }'],
    [undefined, 400, '{'],
  ])('of GraphQL has the type %s, with status %i: %s', async (type, _status, query) => {
    const accept = 'application/graphql-response+json, text/event-stream';
    const headers = { 'content-type': 'application/json', accept };
    const body = JSON.stringify({ query });
    await (await gateway.fetch('/graphql', { method: 'POST', headers, body })).text();
    const [span] = await spans.requests(1);
    expect(span?.name).toBe('POST /graphql');
    expect(span?.attributes['graphql.operation.type']).toBe(type);
    expect(span?.attributes).not.toHaveProperty('graphql.operation.name');
  });

  it('of a trusted document has its name', async () => {
    await using metered = await startMeteredGateway();
    const text = 'query Listed { account { name } }';
    const customer = await metered.newCustomer({
      documents: [{ ids: ['listed'], name: 'Listed', text }],
    });
    spans.reset();
    await (await customer.post('/graphql', { documentId: 'listed' })).text();
    const [span] = await spans.requests(1);
    expect(span?.attributes).toMatchObject({
      'graphql.operation.type': 'query',
      'graphql.operation.name': 'Listed',
    });
  });

  it('that fails has an error type, and an error status unless the caller is at fault', async () => {
    registry.on('down.example', status(500));
    for (const path of ['/v1/rdap?domain=-', '/v1/rdap?domain=down.example', '/nothing/here'])
      await gateway.fetch(path);
    const failures = (await spans.requests(3)).map(({ name, attributes, status: { code } }) => [
      name,
      attributes['error.type'],
      code,
    ]);
    expect(failures).toEqual([
      ['GET /v1/rdap', 'invalid_name', unset],
      ['GET /v1/rdap', 'registry_error', failed],
      ['GET', 'not_found', unset],
    ]);
  });

  it('joins the trace of its traceparent header', async () => {
    const [traceId, spanId] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
    await gateway.fetch('/v1/status?domain=free.example', {
      headers: { traceparent: `00-${traceId}-${spanId}-01` },
    });
    const [span] = await spans.requests(1);
    expect(span?.parentSpanContext?.spanId).toBe(spanId);
    expect(new Set(spans.ended.map((each) => each.spanContext().traceId))).toEqual(
      new Set([traceId]),
    );
    expect(spans.ended.length).toBe(3);
  });

  it('is not recorded if the traceparent header is not sampled', async () => {
    await gateway.fetch('/v1/status?domain=free.example', {
      headers: { traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-00` },
    });
    await gateway.fetch('/health');
    expect((await spans.requests(1)).map(({ name }) => name)).toEqual(['GET /health']);
    expect(spans.ended.length).toBe(1);
  });
});

describe('a name', () => {
  it('has a span below its request, and each registry request has one below that', async () => {
    await gateway.get('/v1/status?domain=taken.example');
    const [request] = await spans.requests(1);
    const [[lookup], [registryRequest]] = [lookups(), registryRequests()];
    expect(lookup).toMatchObject({
      kind: SpanKind.INTERNAL,
      attributes: {
        'gateway.tld': 'example',
        'gateway.verdict': 'REGISTERED',
        'gateway.cached': false,
        'gateway.stale': false,
      },
      status: { code: unset },
    });
    const { hostname, port } = new URL(registry.baseUrl);
    expect(registryRequest).toMatchObject({
      name: 'GET',
      attributes: {
        'http.request.method': 'GET',
        'server.address': hostname,
        'server.port': Number(port),
        'http.response.status_code': 200,
      },
      status: { code: unset },
    });
    expect(lookup && spans.parentOf(lookup)).toBe(request);
    expect(registryRequest && spans.parentOf(registryRequest)).toBe(lookup);
  });

  it('that is unregistered is not an error, although the registry returns 404', async () => {
    await gateway.get('/v1/status?domain=free.example');
    await spans.requests(1);
    expect(spans.ended.map(({ status: { code } }) => code)).toEqual([unset, unset, unset]);
    expect(registryRequests()[0]?.attributes['http.response.status_code']).toBe(404);
  });

  it('that is cached has a span but no registry request', async () => {
    await gateway.get('/v1/status?domain=taken.example');
    spans.reset();
    await gateway.get('/v1/status?domain=taken.example');
    const [request] = await spans.requests(1);
    const [lookup] = lookups();
    expect(lookup?.attributes).toMatchObject({
      'gateway.verdict': 'REGISTERED',
      'gateway.cached': true,
    });
    expect(lookup && spans.parentOf(lookup)).toBe(request);
    expect(registryRequests()).toEqual([]);
  });

  it('whose registry fails is an error, with each attempt below it', async () => {
    registry.on('down.example', status(500));
    await gateway.get('/v1/status?domain=down.example');
    await spans.requests(1);
    const [lookup] = lookups();
    expect(lookup).toMatchObject({
      attributes: { 'gateway.verdict': 'UNKNOWN', 'error.type': 'registry_error' },
      status: { code: failed },
    });
    expect(
      registryRequests().map((span) => [
        span.attributes['error.type'],
        span.status.code,
        spans.parentOf(span),
      ]),
    ).toEqual([
      ['500', failed, lookup],
      ['500', failed, lookup],
    ]);
  });

  it('that is retried has a span for each attempt', async () => {
    registry.on('late.example', sequence([status(503, { 'retry-after': '0' }), notFound()]));
    await gateway.get('/v1/status?domain=late.example');
    await spans.requests(1);
    expect(
      registryRequests().map(({ attributes }) => attributes['http.response.status_code']),
    ).toEqual([503, 404]);
    expect(lookups()[0]?.status.code).toBe(unset);
  });

  it('that times out is an error with the type timeout', async () => {
    await using limited = await startGateway({ env: { RDAP_TIMEOUT_MS: '100' } });
    await spans.requests(1);
    spans.reset();
    await limited.get('/v1/status?domain=hang.test');
    await spans.requests(1);
    expect(registryRequests()[0]).toMatchObject({
      attributes: { 'error.type': 'timeout' },
      status: { code: failed },
    });
    expect(lookups()[0]).toMatchObject({
      attributes: { 'error.type': 'registry_timeout' },
      status: { code: failed },
    });
  });
});

describe('names that are looked up together', () => {
  const names = ['a.example', 'b.example', 'c.other', 'd.other', 'taken.test'];

  /** Expects a lookup span per name, each with its own registry request. */
  async function expectCompleteTrace(): Promise<void> {
    const [request] = await spans.requests(1);
    expect(lookups().map(tldOf).toSorted()).toEqual('example example other other test'.split(' '));
    for (const lookup of lookups()) expect(spans.parentOf(lookup)).toBe(request);
    const parents = registryRequests().map((span) => spans.parentOf(span));
    expect(new Set(parents)).toEqual(new Set(lookups()));
    expect(parents.length).toBe(names.length);
  }

  const query = `domains: ${JSON.stringify(names)}`;
  const deferred = `query { domains(${query}) { domain ... @defer { available } } }`;

  it.each<[string, () => Promise<unknown>]>(
    Object.entries({
      'in a list': () => gateway.get(`/v1/status?domain=${names.join()}`),
      'in bulk': async () => (await gateway.post('/v1/status/bulk', { domains: names })).json(),
      'in bulk, line by line': async () =>
        remaining(
          linesOf(
            await gateway.post(
              '/v1/status/bulk',
              { domains: names },
              { accept: 'application/x-ndjson' },
            ),
          ),
        ),
      'in a query': () => gateway.graphql(`{ domains(${query}) { available } }`),
      'in a query with a field each': () =>
        gateway.graphql(
          `{ ${names.map((name, index) => `n${index}: domain(name: "${name}") { available }`).join(' ')} }`,
        ),
      'in a subscription': async () => (await subscribe(gateway, query)).rest(),
      'in a deferred query': async () => {
        const parts = partsOf(
          await gateway.post('/graphql', { query: deferred }, { accept: 'multipart/mixed' }),
        );
        await next(parts);
        await remaining(parts);
      },
    }),
  )('%s have separate spans', async (_how, send) => {
    await send();
    await expectCompleteTrace();
  });

  it('by two callers share one registry request, below the lookup of the first', async () => {
    const gate = Promise.withResolvers<void>();
    registry.on('shared.example', async () => {
      await gate.promise;
      return notFound();
    });
    const first = gateway.get('/v1/status?domain=shared.example');
    await registry.whenRequested('shared.example');
    const second = gateway.get('/v1/status?domain=shared.example');
    // This later request completes after the second lookup has started.
    await gateway.get('/v1/status?domain=taken.test');
    gate.resolve();
    await Promise.all([first, second]);
    await spans.requests(3);
    const shared = lookups().filter((span) => tldOf(span) === 'example');
    const under = registryRequests()
      .map((span) => spans.parentOf(span))
      .filter((span) => span && tldOf(span) === 'example');
    expect([shared.length, under.length]).toEqual([2, 1]);
  });
});

it('a lookup of the registrar’s record is a span below its request', async () => {
  const href = registry.url('registrar/domain/taken.example');
  registry.on(
    'taken.example',
    registered('taken.example', {
      members: { links: [{ rel: 'related', type: 'application/rdap+json', href }] },
    }),
  );
  await gateway.graphql('{ domain(name: "taken.example") { registrarRdap { handle } } }');
  const [request] = await spans.requests(1);
  expect(registryRequests().map((span) => spans.parentOf(span))).toEqual([lookups()[0], request]);
});

it('spans contain no names, keys or request data', async () => {
  registry.on(/^secret-down/, status(500));
  const headers = { 'x-api-key': 'secret-key', 'user-agent': 'secret-agent' };
  for (const path of [
    '/v1/status?domain=secret.example,secret-down.example',
    '/v1/rdap?domain=secret-down.example',
    '/secret.example/x',
  ]) {
    await gateway.fetch(path);
    await gateway.fetch(path, { headers });
  }
  await gateway.graphql('query Secret { secret: domain(name: "secret.example") { available } }');
  const recorded =
    (await spans.requests(7)) &&
    spans.ended.map(({ name, attributes, events, status: { message } }) => ({
      name,
      attributes,
      events,
      message,
    }));
  expect(recorded.length).toBeGreaterThan(10);
  expect(JSON.stringify(recorded)).not.toMatch(/secret/i);
});
