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
    registries: { example: registry.baseUrl },
    env: { RDAP_CONCURRENCY: '2' },
  });
});

const query =
  '{ domains(domains: ["slow.example", "quick.example"]) { domain ... @defer { available } } }';
const rows = { domains: [{ domain: 'slow.example' }, { domain: 'quick.example' }] };
const send = (accept: string, document = query, init: RequestInit = {}) =>
  gateway.fetch('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept },
    body: JSON.stringify({ query: document }),
    ...init,
  });

/** Makes the registry hold its responses for both names until the test releases them. */
function heldNames() {
  const slow = paused(notFound());
  const quick = paused(registered('quick.example'));
  registry.on('slow.example', slow);
  registry.on('quick.example', quick);
  return { slow, quick };
}

describe('a deferred verdict', () => {
  it('is sent in its own part once it is resolved, after the rows', async () => {
    const { slow, quick } = heldNames();
    const response = await send('multipart/mixed; deferSpec=20220824, application/json');
    expect(response.headers.get('content-type')).toBe(
      'multipart/mixed; boundary="-"; deferSpec=20220824',
    );
    const parts = partsOf(response);
    expect(await next(parts)).toEqual({ data: rows, hasNext: true });
    quick.release();
    expect(await next(parts)).toEqual({
      incremental: [{ data: { available: false }, path: ['domains', 1] }],
      hasNext: true,
    });
    slow.release();
    const last = await remaining(parts);
    expect(last.flatMap(({ incremental = [] }) => incremental)).toEqual([
      { data: { available: true }, path: ['domains', 0] },
    ]);
    expect(last.map(({ hasNext }) => hasNext).at(-1)).toBe(false);
  });

  it('is sent as a separate event to a client that accepts events', async () => {
    const { slow, quick } = heldNames();
    const response = await send('text/event-stream');
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const events = eventsOf(response);
    expect(await next(events)).toEqual({ event: 'next', data: { data: rows, hasNext: true } });
    slow.release();
    const incremental = [{ data: { available: true }, path: ['domains', 0] }];
    expect(await next(events)).toEqual({ event: 'next', data: { incremental, hasNext: true } });
    quick.release();
    const last = await remaining(events);
    expect(last.at(0)).toMatchObject({
      event: 'next',
      data: { incremental: [{ path: ['domains', 1] }] },
    });
    expect(last.at(-1)).toEqual({ event: 'complete', data: null });
  });

  it('is UNKNOWN in its own part if the lookup fails, with the problem', async () => {
    registry.on('slow.example', html(404));
    const document =
      '{ domains(domains: ["slow.example"]) { domain ... on Domain @defer(label: "record") { status problem { code } rdap { handle } } } }';
    const parts = await remaining(partsOf(await send('multipart/mixed', document)));
    const [incremental] = parts.flatMap((part) => part.incremental ?? []);
    expect(incremental).toEqual({
      label: 'record',
      path: ['domains', 0],
      data: { status: 'UNKNOWN', problem: { code: 'untrusted_answer' }, rdap: null },
    });
  });

  it('shares one lookup with the verdict that is not deferred', async () => {
    const document =
      '{ domain(name: "slow.example") { available ... @defer { rdap { handle } } } }';
    await remaining(partsOf(await send('multipart/mixed', document)));
    expect(registry.requestCount('slow.example')).toBe(1);
  });
});

const newer =
  'multipart/mixed;incrementalSpec=v0.2,application/graphql-response+json,application/json;q=0.9';

describe('a deferred verdict in the newer format', () => {
  it('is sent with the id of its fragment once it is resolved', async () => {
    const { slow, quick } = heldNames();
    const response = await send(newer);
    expect(response.headers.get('content-type')).toBe(
      'multipart/mixed; boundary="-"; incrementalSpec=v0.2',
    );
    const parts = partsOf(response);
    const pending = [
      { id: '0', path: ['domains', 0] },
      { id: '1', path: ['domains', 1] },
    ];
    expect(await next(parts)).toEqual({ data: rows, pending, hasNext: true });
    quick.release();
    expect(await next(parts)).toEqual({
      incremental: [{ id: '1', data: { available: false } }],
      completed: [{ id: '1' }],
      hasNext: true,
    });
    slow.release();
    const last = await remaining(parts);
    expect(last.flatMap(({ incremental = [] }) => incremental)).toEqual([
      { id: '0', data: { available: true } },
    ]);
    expect(last.flatMap(({ completed = [] }) => completed)).toEqual([{ id: '0' }]);
    expect(last.map(({ hasNext }) => hasNext).at(-1)).toBe(false);
  });

  it('is sent with argument errors beside the data of its fragment', async () => {
    const parts = await remaining(
      partsOf(
        await send(
          newer,
          '{ __typename ... @defer(label: "later") { domain(name: "a b") { available } } }',
        ),
      ),
    );
    expect(parts[0]).toEqual({
      data: { __typename: 'Query' },
      pending: [{ id: '0', path: [], label: 'later' }],
      hasNext: true,
    });
    expect(parts[1]?.incremental).toEqual([
      {
        id: '0',
        data: { domain: null },
        errors: [
          {
            message: expect.any(String),
            path: ['domain'],
            locations: [expect.anything()],
            extensions: problemExtensions('invalid_name', { param: 'name' }),
          },
        ],
      },
    ]);
    expect(parts.at(-1)?.hasNext).toBe(false);
  });

  it('is not sent separately if @defer is switched off', async () => {
    const response = await send(newer, query.replace('@defer', '@defer(if: false)'));
    expect(response.headers.get('content-type')).toBe(
      'application/graphql-response+json; charset=utf-8',
    );
    expect(await response.json()).toEqual({
      data: { domains: [expect.anything(), expect.anything()] },
    });
  });
});

it.each(['multipart/mixed', 'text/event-stream', newer])(
  'cancels the lookups that are not yet sent when a client of %s disconnects',
  async (accept) => {
    const reply = paused(notFound());
    registry.fallback(reply);
    const controller = new AbortController();
    const names = ['a.example', 'b.example', 'c.example', 'd.example'];
    const document = `{ domains(domains: ${JSON.stringify(names)}) { domain ... @defer { available } } }`;
    await send(accept, document, { signal: controller.signal });
    await registry.when(({ inFlight }) => inFlight === 2);
    controller.abort();
    // After two more round trips, the gateway has noticed the disconnect.
    await gateway.get('/health');
    await gateway.get('/health');
    reply.release();
    // Later lookups are queued behind any that still wait.
    await gateway.graphql('{ domains(domains: ["later.example", "last.example"]) { available } }');
    expect(names.map(registry.requestCount)).toEqual([1, 1, 0, 0]);
  },
);
