import { setImmediate as nextIteration } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { LoadShedder, type WaitingRequest } from '../../src/server/load-shedder.ts';
import { startFakeRegistry } from '../support/servers/fake-registry.ts';
import { fillInFlight, maxWaitMs } from '../support/requests/in-flight.ts';
import { startGateway } from '../support/gateways/gateway.ts';
import { manualClock } from '../support/time/manual-clock.ts';
import { memoryLog } from '../support/checks/memory-log.ts';
import { expectProblem } from '../support/checks/problems.ts';
import { sendRaw } from '../support/requests/raw-http.ts';
import { violationsInError } from '../support/checks/rdap-conformance.ts';
import { notFound } from '../support/bodies/replies.ts';
import { scrape, scrapeUntil } from '../support/checks/scrape.ts';
import { paused } from '../support/bodies/scripts.ts';
import { problemExtensions } from '../support/checks/problem-extensions.ts';

const unlimited = {
  RATE_LIMIT: '0',
  RDAP_RATE: '0',
  RDAP_TIMEOUT_MS: '60000',
  MAX_LOOKUPS: '20000',
};

it('serves a burst of 1,000 requests completely', { timeout: 60_000 }, async () => {
  // With a stopped clock, no request waits too long, however slow the machine is.
  await using gateway = await startGateway({ env: { RATE_LIMIT: '0' }, clock: manualClock() });
  const send = () => gateway.fetch('/v1/status?domain=taken.test');
  const responses = await Promise.all(Array.from({ length: 1000 }, send));
  expect(responses.filter(({ status }) => status !== 200)).toEqual([]);
});

const detail = 'The gateway is overloaded. Try again in a moment.';

/** Returns the parts of a raw response, with its headers in lower case. */
function partsOf(text: string) {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const [statusLine, ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map(
      (line) =>
        line
          .toLowerCase()
          .split(/: (.*)/s)
          .slice(0, 2) as [string, string],
    ),
  );
  return { statusLine, headers, body };
}

describe('with 5,000 requests in flight', { timeout: 120_000 }, () => {
  it('rejects requests that have waited for 0.8 s, and serves exempt paths', async () => {
    await using registry = await startFakeRegistry();
    const slow = paused(notFound());
    registry.on('slow.example', slow);
    const [clock, { log, lines }] = [manualClock(), memoryLog()];
    await using gateway = await startGateway({
      registries: { example: registry.baseUrl },
      env: unlimited,
      clock,
      log,
    });
    using crowd = await fillInFlight(gateway, 'slow.example');
    const send = (method: string, path: string, rest = '') =>
      sendRaw(gateway.url, `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${rest}\r\n`);
    const json = 'Content-Type: application/json\r\nContent-Length: 2\r\n';
    const sent = [
      send('GET', '/v1/status?domain=taken.test'),
      send('HEAD', '/v1/status?domain=taken.test'),
      send('GET', '/rdap/domain/taken.test'),
      send('POST', '/graphql', `${json}\r\n{}`),
      // The beginning of a body.
      send(
        'POST',
        '/v1/status/bulk',
        'Content-Type: application/json\r\nContent-Length: 60\r\n\r\n{',
      ),
    ];
    await scrapeUntil(
      gateway,
      ({ sum }) => sum('rdap_gateway_http_requests_queued') === sent.length,
    );
    const exempt = await Promise.all(
      ['/health', '/ready', '/metrics'].map((path) => gateway.fetch(path)),
    );
    expect(exempt.map(({ status }) => status)).toEqual([200, 200, 200]);
    clock.advance(maxWaitMs - 1);
    expect((await scrape(gateway)).sum('rdap_gateway_http_requests_queued')).toBe(sent.length);
    clock.advance(1);
    const [rest, head, rdap, graphql, bulk] = (await Promise.all(sent)).map(partsOf);
    for (const response of [rest, head, rdap, graphql, bulk]) {
      expect(response?.statusLine).toBe('HTTP/1.1 503 Service Unavailable');
      expect(response?.headers).toMatchObject({
        connection: 'close',
        'retry-after': '1',
        'access-control-allow-origin': '*',
      });
      expect(response?.headers).not.toHaveProperty('x-request-id');
    }
    const type = `${gateway.url}/docs/errors#overloaded`;
    const shared = { status: 503, retryable: true, retry_after: 1 };
    const problem = {
      type,
      title: 'The gateway is overloaded',
      detail,
      code: 'overloaded',
      ...shared,
      message: detail,
      error: { code: 'OVERLOADED', type: 'api_error', message: detail, ...shared, docs_url: type },
    };
    expect(JSON.parse(rest?.body ?? '')).toEqual(problem);
    expect(JSON.parse(bulk?.body ?? '')).toEqual(problem);
    expect(rest?.headers).toMatchObject({
      'content-type': 'application/problem+json',
      'content-length': String(rest?.body.length),
    });
    expect(head?.body).toBe('');
    expect(head?.headers['content-length']).toEqual(rest?.headers['content-length']);
    expect(rdap?.headers).toMatchObject({
      'content-type': 'application/rdap+json',
      vary: 'x-api-key, authorization, accept, accept-language',
    });
    expect(violationsInError(JSON.parse(rdap?.body ?? ''), 503)).toEqual([]);
    expect(JSON.parse(graphql?.body ?? '')).toEqual({
      errors: [{ message: detail, extensions: problemExtensions('overloaded', { retryAfter: 1 }) }],
    });
    expect(graphql?.headers['content-length']).toBe(String(graphql?.body.length));
    // They are counted individually and logged together.
    expect(
      (await scrape(gateway)).sum('rdap_gateway_http_requests_total', {
        route: '/v1/status',
        status: '503',
        code: 'overloaded',
      }),
    ).toBe(2);
    clock.advance(1000);
    expect(lines.filter(({ rejected }) => rejected)).toMatchObject([
      { level: 'warn', rejected: { overloaded: sent.length } },
    ]);
    expect(lines.filter(({ code }) => code === 'overloaded')).toEqual([]);
    crowd[Symbol.dispose]();
    await scrapeUntil(gateway, ({ sum }) => sum('rdap_gateway_http_requests_in_flight') === 0);
    expect((await gateway.fetch('/v1/status?domain=taken.test')).status).toBe(200);
  });

  it('rejects requests without CORS headers if these depend on the origin', async () => {
    await using registry = await startFakeRegistry();
    registry.on('slow.example', paused(notFound()));
    const clock = manualClock();
    const env = { ...unlimited, CORS_ORIGINS: 'https://app.example' };
    await using gateway = await startGateway({
      registries: { example: registry.baseUrl },
      env,
      clock,
    });
    using crowd = await fillInFlight(gateway, 'slow.example');
    const sent = sendRaw(
      gateway.url,
      'GET /v1/tech HTTP/1.1\r\nHost: localhost\r\nOrigin: https://app.example\r\n\r\n',
    );
    await scrapeUntil(gateway, ({ sum }) => sum('rdap_gateway_http_requests_queued') === 1);
    clock.advance(maxWaitMs);
    const { headers } = partsOf(await sent);
    expect(headers['vary']).toBe('origin, x-api-key, authorization, accept, service-naming');
    expect(headers['access-control-allow-origin']).toBeUndefined();
    crowd[Symbol.dispose]();
  });
});

function createLoadShedder() {
  const clock = manualClock();
  const loadShedder = new LoadShedder(clock);
  const served: number[] = [];
  const rejected: number[] = [];
  const acquire = (id: number, costMs = 0): void => {
    const request: WaitingRequest = {
      address: `address ${id % 20}`,
      serve(release) {
        clock.advance(costMs);
        served.push(id);
        release();
      },
      reject: () => void rejected.push(id),
      isDisconnected: () => false,
    };
    loadShedder.acquire(request);
  };
  return { clock, loadShedder, served, rejected, acquire };
}

describe('the load shedder', () => {
  it('serves in order of arrival, about 2 ms per event loop iteration', async () => {
    const { loadShedder, served, acquire } = createLoadShedder();
    const ids = Array.from({ length: 300 }, (_, index) => index);
    for (const id of ids) acquire(id, 1);
    const perIteration: number[] = [];
    while (loadShedder.queued > 0) {
      const before = served.length;
      await nextIteration();
      perIteration.push(served.length - before);
    }
    expect(served).toEqual(ids);
    // The cost of a request is assumed at first, and then measured.
    expect(perIteration[0]).toBe(20);
    expect(perIteration.at(-2)).toBeLessThan(10);
  });

  it('rejects only requests that have waited too long', async () => {
    const { clock, served, rejected, acquire } = createLoadShedder();
    acquire(1);
    clock.advance(maxWaitMs - 1);
    acquire(2);
    await nextIteration();
    acquire(3);
    clock.advance(maxWaitMs);
    acquire(4);
    await nextIteration();
    expect([served, rejected]).toEqual([[1, 2, 4], [3]]);
  });

  it('serves others while an address has used its share', async () => {
    const { loadShedder, served, acquire } = createLoadShedder();
    const releases: (() => void)[] = [];
    const request = { address: 'busy', reject() {}, isDisconnected: () => false };
    for (let id = 0; id < 1000; id++)
      loadShedder.acquire({ ...request, serve: (release) => void releases.push(release) });
    while (releases.length < 500) await nextIteration();
    expect([loadShedder.inFlight, loadShedder.queued]).toEqual([500, 500]);
    acquire(1);
    await nextIteration();
    expect(served).toEqual([1]);
    for (const release of releases) release();
    while (releases.length < 1000) await nextIteration();
    expect(loadShedder.queued).toBe(0);
  });
});

describe('a client that looks up very many names', { timeout: 60_000 }, () => {
  const many = {
    names: Array.from({ length: 1000 }, (_, index) => `n${index}`),
    tlds: Array.from({ length: 15 }, (_, index) => `no-tld-${index}`),
  };
  /** 5,100 names, which are too many beside those. */
  const more = { ...many, names: many.names.slice(0, 340) };

  it('is rejected until its earlier lookups have ended', async () => {
    await using registry = await startFakeRegistry();
    await using gateway = await startGateway({
      registries: { example: registry.baseUrl },
      env: unlimited,
      clock: manualClock(),
    });
    const slow = paused(notFound());
    registry.on('n0.example', slow);
    const first = gateway.post('/v1/status/bulk', {
      ...many,
      tlds: [...many.tlds.slice(1), 'example'],
    });
    await registry.whenRequested('n0.example');
    const second = await gateway.post('/v1/status/bulk', more);
    expect(second.headers.get('retry-after')).toBe('1');
    await expectProblem(second, 'overloaded', { retry_after: 1 });
    const query = 'query ($list: [String!]) { domains(domains: $list) { status } }';
    const list = Array.from({ length: 5100 }, (_, index) => `${index}.x`);
    const graphql = await gateway.post('/graphql', { query, variables: { list } });
    expect([graphql.status, graphql.headers.get('retry-after')]).toEqual([503, '1']);
    expect((await gateway.fetch('/v1/status?domain=taken.test')).status).toBe(200);
    slow.release();
    await (await first).arrayBuffer();
    expect((await gateway.post('/v1/status/bulk', more)).status).toBe(200);
  });
});
