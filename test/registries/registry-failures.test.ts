import { beforeEach, describe, expect, it } from 'vitest';
import { forThisTest } from '../support/for-this-test.ts';
import { name, openBothApis, type BothApis } from '../support/gateways/both-apis.ts';
import { startFakeRegistry } from '../support/servers/fake-registry.ts';
import { memoryLog } from '../support/checks/memory-log.ts';
import { startGateway } from '../support/gateways/gateway.ts';
import { drip, hang, reset, resetMidBody } from '../support/bodies/hostile-replies.ts';
import { json, notFound, registered, status, type Reply } from '../support/bodies/replies.ts';
import { faults } from '../support/bodies/registry-faults.ts';
import { sequence } from '../support/bodies/scripts.ts';

let apis: BothApis;
beforeEach(async () => void (apis = await forThisTest(openBothApis)));

describe('a registry that fails', () => {
  describe.each<[string, Reply]>([
    ['with a 500', status(500)],
    ['with a 502 that contains an RDAP 404', json(502, { errorCode: 404 })],
    ['with a connection reset', reset()],
    ['with a connection reset in the middle of the body', resetMidBody()],
  ])('%s', (_case, failure) => {
    it('once is retried once', async () => {
      await apis.expectVerdict(sequence([failure, registered(name), failure, registered(name)]), {
        status: 'REGISTERED',
        available: false,
        reason: null,
      });
      expect(apis.registry.requestCount(name)).toBe(4);
    });

    it('twice causes UNKNOWN, and the name is not sent again immediately', async () => {
      await apis.expectVerdict(failure, {
        status: 'UNKNOWN',
        available: null,
        reason: 'registry_error',
      });
      expect(apis.registry.requestCount(name)).toBe(2);
    });
  });

  it.each([429, 503])(
    'with a %i and a Retry-After beyond the time limit causes UNKNOWN without a retry',
    async (code) => {
      apis.registry.on(name, status(code, { 'retry-after': '60' }));
      const { data } = await apis.gateway.graphql(
        `{ domain(name: "${name}") { status available reason } }`,
      );
      expect(data.domain).toEqual({ status: 'UNKNOWN', available: null, reason: 'registry_busy' });
      const answer = await apis.gateway.fetch(`/v1/rdap?domain=${name}`);
      expect(answer.status).toBe(503);
      expect(Number(answer.headers.get('retry-after'))).toEqual(expect.closeTo(60, -1));
      expect(apis.registry.requestCount(name)).toBe(1);
    },
  );

  it.each([429, 503])('with a %i and Retry-After: 0 is retried once', async (code) => {
    const busy = status(code, { 'retry-after': '0' });
    await apis.expectVerdict(sequence([busy, notFound(), busy, notFound()]), {
      status: 'AVAILABLE',
      available: true,
      reason: null,
    });
    expect(apis.registry.requestCount(name)).toBe(4);
  });

  it('to accept connections causes UNKNOWN', async () => {
    await apis.registry.close();
    await apis.expectVerdict(notFound(), {
      status: 'UNKNOWN',
      available: null,
      reason: 'registry_error',
    });
  });

  it('is replaced by its next server, but a 404 is not a failure', async () => {
    await using second = await startFakeRegistry();
    second.on(/^(?:nic|example)\./, ({ name: taken }) => registered(taken));
    await using both = await startGateway({
      registries: { registry: [apis.registry.baseUrl, second.baseUrl] },
    });
    const lookUp = async (domain: string) =>
      (await both.get(`/v1/status?domain=${domain}`)).results[0];
    apis.registry.on(name, status(500));
    expect(await lookUp(name)).toMatchObject({
      status: 'registered',
      rdap_endpoint: second.baseUrl,
    });
    expect(await lookUp('free.registry')).toMatchObject({
      status: 'available',
      rdap_endpoint: apis.registry.baseUrl,
    });
    expect(second.requestCount('free.registry')).toBe(0);
  });
});

it.each<[string, Reply]>([
  ['sends nothing', hang()],
  ['sends its body very slowly', drip('{'.padEnd(10_000), 20)],
])(
  'a registry that does not respond in time because it %s causes UNKNOWN',
  async (_case, reply) => {
    await using impatient = await openBothApis({ RDAP_TIMEOUT_MS: '300' });
    await impatient.expectVerdict(reply, {
      status: 'UNKNOWN',
      available: null,
      reason: 'registry_timeout',
    });
    expect((await impatient.gateway.fetch(`/v1/rdap?domain=${name}`)).status).toBe(504);
  },
);

it('a registry with plain http: is a lasting problem, and its detail names the setting', async () => {
  await using registry = await startFakeRegistry();
  await using gateway = await startGateway({
    registries: { kg: registry.baseUrl },
    env: { RDAP_ALLOW_PRIVATE: 'false' },
  });
  const { host } = new URL(registry.baseUrl);
  const problem = {
    code: 'registry_error',
    detail: `${host} is a server with plain http:, which is not queried unless RDAP_ALLOW_PRIVATE=true.`,
    retryable: false,
  };
  const { data } = await gateway.graphql(
    '{ domain(name: "some.kg") { status problem { code detail retryable } } }',
  );
  expect(data.domain).toEqual({ status: 'UNKNOWN', problem });
  expect(await gateway.get('/v1/rdap?domain=some.kg')).toMatchObject({ ...problem, status: 502 });
  expect(registry.requests).toEqual([]);
});

describe('a failed connection', () => {
  it.each([
    ['has an expired certificate', /: the certificate (?:has expired|is self-signed)\./],
    [
      'has a certificate for another name',
      /: the certificate is (?:for another name|self-signed)\./,
    ],
    ['speaks HTTP instead of TLS', /: no TLS connection (?:was|could be) established\./],
  ])('is explained if a registry %s', async (what, detail) => {
    await using stack = new AsyncDisposableStack();
    const fault = faults().find((other) => other.what === what);
    const opened = await fault?.open(stack);
    const url = typeof opened === 'string' ? opened : '';
    await using gateway = await startGateway({ registries: { aa: url } });
    const problem = await (await gateway.fetch('/v1/rdap?domain=name.aa')).json();
    expect(problem).toMatchObject({
      code: 'registry_error',
      detail: expect.stringMatching(detail),
    });
  });

  it('is explained if a registry sends too many headers', async () => {
    apis.registry.on(name, status(200, { 'x-long': 'x'.repeat(70_000) }));
    const problem = await (await apis.gateway.fetch(`/v1/rdap?domain=${name}`)).json();
    expect(problem.detail).toMatch(/sent headers that are too large/);
  });
});

it('writes no character of control or direction of a registry into a detail or the log', async () => {
  await using registry = await startFakeRegistry();
  registry.fallback(notFound('\u009b31m\u202eX\u007f'));
  const { log, lines } = memoryLog();
  await using gateway = await startGateway({ registries: { example: registry.baseUrl }, log });
  const { detail } = await gateway.get('/v1/rdap?domain=odd.example');
  const logged = lines.map(({ detail: each }) => each).find(Boolean);
  expect([detail, logged]).toEqual([
    expect.stringContaining('U+009B31mU+202EXU+007F'),
    expect.stringContaining('U+009B31mU+202EXU+007F'),
  ]);
});
