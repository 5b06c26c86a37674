import { createClient } from 'graphql-sse';
import { beforeEach, describe, expect, it } from 'vitest';
import { forThisTest } from '../../support/for-this-test.ts';
import { startFakeRegistry, type FakeRegistry } from '../../support/servers/fake-registry.ts';
import { startGateway, type Gateway } from '../../support/gateways/gateway.ts';
import { html, notFound, registered } from '../../support/bodies/replies.ts';
import { paused } from '../../support/bodies/scripts.ts';
import { eventsOf, next, partsOf, remaining } from '../../support/requests/streams.ts';
import { problemExtensions } from '../../support/checks/problem-extensions.ts';

let registry: FakeRegistry;
let gateway: Gateway;

beforeEach(async () => {
  registry = await forThisTest(startFakeRegistry);
  gateway = await forThisTest(startGateway, {
    registries: { example: registry.baseUrl, invalid: registry.baseUrl },
    env: { RDAP_CONCURRENCY: '2' },
  });
});

const subscribe = (query: string, init: RequestInit = {}) =>
  gateway.fetch(`/graphql?${new URLSearchParams({ query }).toString()}`, {
    headers: { accept: 'text/event-stream' },
    ...init,
  });
const rowEvent = (domain: string, available: boolean | null) => ({
  event: 'next',
  data: { data: { availability: { domain, available } } },
});
const payload = (domain: string, available: boolean) => ({
  payload: { data: { availability: { domain, available } } },
});
const complete = { event: 'complete', data: null };

describe('the rows of a subscription', () => {
  it('are sent as soon as they are resolved, and end with the last', async () => {
    const [slow, quick] = [paused(notFound()), paused(registered('x.invalid'))];
    registry.on('x.example', slow);
    registry.on('x.invalid', quick);
    const events = eventsOf(
      await subscribe(
        'subscription { availability(name: "x", tlds: ["example", "invalid", "a b"]) { domain available } }',
      ),
    );
    expect(await next(events)).toEqual(rowEvent('x.a b', null));
    quick.release();
    expect(await next(events)).toEqual(rowEvent('x.invalid', false));
    slow.release();
    expect(await remaining(events)).toEqual([rowEvent('x.example', true), complete]);
  });

  it('are those of the query, without duplicates and with invalid entries', async () => {
    const field =
      '(domains: ["a.example", "A.example.", "www.a.com", "a.no-such-tld"]) { domain status available reason }';
    const events = await remaining(
      eventsOf(await subscribe(`subscription { availability${field} }`)),
    );
    const { data } = await gateway.graphql(`{ domains${field} }`);
    const sent = events.slice(0, -1).map((event) => event.data.data.availability);
    expect(sent).toHaveLength(3);
    expect(sent).toEqual(expect.arrayContaining(data.domains));
  });

  it('contain the problem of a failed lookup in their own event', async () => {
    registry.on('bad.example', html(404));
    const events = await remaining(
      eventsOf(
        await subscribe(
          'subscription { availability(domains: ["bad.example", "good.example"]) { status problem { code } rdap { handle } } }',
        ),
      ),
    );
    expect(events).toHaveLength(3);
    const data = events.map((event) => event.data);
    expect(data).toContainEqual({
      data: { availability: { status: 'AVAILABLE', problem: null, rdap: null } },
    });
    expect(data).toContainEqual({
      data: {
        availability: { status: 'UNKNOWN', problem: { code: 'untrusted_answer' }, rdap: null },
      },
    });
  });
});

it.each(
  Object.entries({
    invalid_parameter: 'subscription { availability { domain } }',
    invalid_name: 'subscription { availability(name: "a b", tlds: ["example"]) { domain } }',
    invalid_max_age: 'subscription { availability(domains: ["a.example"], maxAge: -1) { domain } }',
    invalid_query: 'subscription { nothing }',
    too_many_lookups: `subscription { availability(domains: ${JSON.stringify(Array.from({ length: 501 }, (_, n) => `a${n}.example`))}) { domain } }`,
  }),
)('an operation that cannot run gets one error event: %s', async (code, query) => {
  const body = JSON.stringify({ query });
  const headers = { accept: 'text/event-stream', 'content-type': 'application/json' };
  const response = await gateway.fetch('/graphql', { method: 'POST', headers, body });
  const events = await remaining(eventsOf(response));
  expect(events).toEqual([
    {
      event: 'next',
      data: expect.objectContaining({
        errors: [expect.objectContaining({ extensions: expect.objectContaining({ code }) })],
      }),
    },
    complete,
  ]);
  expect(registry.requests).toEqual([]);
});

describe('a subscription in the multipart protocol of Apollo', () => {
  const accept =
    'multipart/mixed;boundary=graphql;subscriptionSpec=1.0,application/graphql-response+json,application/json;q=0.9';
  const subscribeInParts = (query: string) => gateway.post('/graphql', { query }, { accept });

  it('sends each row as soon as it is resolved, with the boundary that ends its part', async () => {
    const [slow, quick] = [paused(notFound()), paused(registered('x.invalid'))];
    registry.on('x.example', slow);
    registry.on('x.invalid', quick);
    const response = await subscribeInParts(
      'subscription { availability(name: "x", tlds: ["example", "invalid"]) { domain available } }',
    );
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'multipart/mixed; boundary="graphql"; subscriptionSpec=1.0',
    ]);
    // A part can be read once the boundary after it has arrived.
    const parts = partsOf(response, 'graphql');
    quick.release();
    expect(await next(parts)).toEqual(payload('x.invalid', false));
    slow.release();
    expect(await remaining(parts)).toEqual([payload('x.example', true)]);
  });

  it('sends invalid rows in payloads', async () => {
    const parts = await remaining(
      partsOf(
        await subscribeInParts(
          'subscription { availability(domains: ["a b", "b.example"]) { domain } }',
        ),
        'graphql',
      ),
    );
    expect(parts).toContainEqual({ payload: { data: { availability: { domain: 'a b' } } } });
    expect(parts).toHaveLength(2);
  });

  it.each([
    ['invalid_name', 'subscription { availability(name: "a b", tlds: ["example"]) { domain } }'],
    ['invalid_query', 'subscription { nothing }'],
  ])('returns a plain result if the operation cannot run: %s', async (code, query) => {
    const response = await subscribeInParts(query);
    expect(response.status).toBe(400);
    expect(response.headers.get('content-type')).toBe(
      'application/graphql-response+json; charset=utf-8',
    );
    expect(await response.json()).toMatchObject({
      errors: [{ extensions: problemExtensions(code) }],
    });
  });
});

describe('the client package graphql-sse', () => {
  const query =
    'subscription ($names: [String!]) { availability(domains: $names) { domain available } }';

  it('receives rows one by one, until the end', async () => {
    const client = createClient({ url: `${gateway.url}/graphql`, retryAttempts: 0 });
    const rows = await remaining(
      client.iterate({ query, variables: { names: ['a.example', 'b.example'] } }),
    );
    expect(rows).toEqual(
      expect.arrayContaining([
        { data: { availability: { domain: 'a.example', available: true } } },
      ]),
    );
    expect(rows).toHaveLength(2);
    client.dispose();
  });

  it('receives errors as results', async () => {
    const client = createClient({ url: `${gateway.url}/graphql`, retryAttempts: 0 });
    const rows = await remaining(client.iterate({ query, variables: { names: [] } }));
    expect(rows).toEqual([
      {
        errors: [
          expect.objectContaining({
            extensions: problemExtensions('missing_parameter', { param: 'domains' }),
          }),
        ],
      },
    ]);
    client.dispose();
  });

  it('cancels lookups that are not yet sent when it closes, and the others are cached', async () => {
    const reply = paused(notFound());
    registry.fallback(reply);
    const client = createClient({ url: `${gateway.url}/graphql`, retryAttempts: 0 });
    const names = ['a.example', 'b.example', 'c.example', 'd.example'];
    const rows = client.iterate({ query, variables: { names } });
    const first = rows.next();
    await registry.when(({ inFlight }) => inFlight === 2);
    client.dispose();
    await first.catch(() => undefined);
    // After two more round trips, the gateway has noticed the disconnect.
    await gateway.get('/health');
    await gateway.get('/health');
    reply.release();
    const { data } = await gateway.graphql(
      '{ domains(domains: ["later.example", "a.example"]) { domain cached } }',
    );
    expect(data.domains).toEqual([
      { domain: 'later.example', cached: false },
      { domain: 'a.example', cached: expect.any(Boolean) },
    ]);
    expect(names.map(registry.requestCount)).toEqual([1, 1, 0, 0]);
  });
});
