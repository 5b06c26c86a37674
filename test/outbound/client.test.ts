import { brotliCompressSync, gzipSync } from 'node:zlib';
import { MockAgent } from 'undici';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { createHttpClient, type HttpClient } from '../../src/outbound/client.ts';
import { registryRoute } from '../../src/outbound/routes.ts';
import { createDispatcher } from '../../src/outbound/dispatcher.ts';
import { forThisTest } from '../support/for-this-test.ts';
import { domainObject } from '../support/bodies/domain-object.ts';
import { startFakeRegistry, type FakeRegistry } from '../support/servers/fake-registry.ts';
import {
  drip,
  gzipBomb,
  hang,
  huge,
  reset,
  resetMidBody,
} from '../support/bodies/hostile-replies.ts';
import { rdapJson, registered, status, type Reply } from '../support/bodies/replies.ts';

const minute = 60_000;
const accept = { accept: 'application/rdap+json, application/json;q=0.9' };

const cleanup = new AsyncDisposableStack();
let registry: FakeRegistry;
let client: HttpClient;
beforeEach(async () => {
  registry = await forThisTest(startFakeRegistry);
  registry.fallback(({ name }) => registered(name));
  client = clientFor();
});

afterAll(() => cleanup.disposeAsync());

/** Creates a client as in a gateway that allows registries at private addresses. */
function clientFor(): HttpClient {
  const dispatcher = createDispatcher({
    allowPrivate: true,
    connections: 8,
    connectTimeoutMs: minute,
  });
  cleanup.defer(() => dispatcher.destroy());
  return createHttpClient({
    route: registryRoute(dispatcher, true),
    userAgent: 'gateway/1.0',
    clock: systemClock,
  });
}

const get = (name: string, timeoutMs = minute) =>
  client.get(registry.url(`domain/${name}`), accept, timeoutMs);

describe('a request to a registry', () => {
  it('has the headers User-Agent and Accept', async () => {
    const reply = await get('a.test');
    expect(reply).toMatchObject({ status: 200, mediaType: rdapJson, retryAfter: undefined });
    expect(registry.requests[0]).toMatchObject({ method: 'GET', url: '/domain/a.test' });
    expect(registry.requests[0]?.headers).toMatchObject({ 'user-agent': 'gateway/1.0', ...accept });
    expect(registry.requests[0]?.headers).not.toHaveProperty('cookie');
  });

  it('reuses a keep-alive connection', async () => {
    const ports = new Set<number | undefined>();
    registry.fallback({
      send(response, request, clock) {
        ports.add(response.socket?.remotePort);
        return registered(request.name).send(response, request, clock);
      },
    });
    for (let times = 0; times < 20; times += 1) await get('a.test');
    // A request that directly follows a response may still find its connection in use.
    expect(ports.size).toBeLessThanOrEqual(2);
  });

  it('returns a decompressed body, and Retry-After', async () => {
    const body = JSON.stringify(domainObject('a.test'));
    registry.on(
      'a.test',
      status(
        200,
        { 'content-encoding': 'gzip', 'content-type': 'Application/RDAP+JSON; charset=utf-8' },
        gzipSync(body),
      ),
    );
    registry.on('b.test', status(429, { 'retry-after': '7' }));
    const reply = await get('a.test');
    expect(reply).toMatchObject({ mediaType: rdapJson });
    expect('body' in reply && Buffer.from(reply.body).toString()).toBe(body);
    expect(await get('b.test')).toMatchObject({ status: 429, retryAfter: 7 });
  });
});

describe('a request without a response', () => {
  it('fails once if it cannot be sent', async () => {
    const broken = new MockAgent();
    broken.dispatch = () => {
      throw new Error('broken');
    };
    const unable = createHttpClient({
      route: () => broken,
      userAgent: 'gateway/1.0',
      clock: systemClock,
    });
    expect(await unable.get(registry.url('domain/a.test'), accept, 1)).toMatchObject({
      failure: 'down',
    });
    // Takes longer than that time limit: a second, unhandled rejection would end the process.
    expect(await get('a.test')).toMatchObject({ status: 200 });
  });

  it.each<[string, Reply]>([
    ['sends nothing', hang()],
    ['sends its body very slowly', drip('{'.padEnd(10_000), 20)],
  ])('fails at the deadline if the server %s', async (_case, reply) => {
    registry.on('slow.test', reply);
    expect(await get('slow.test', 200)).toMatchObject({
      failure: 'timeout',
      problem: { code: 'registry_timeout' },
    });
    await registry.when(({ inFlight }) => inFlight === 0);
  });

  it.each<[string, Reply]>([
    ['immediately', reset()],
    ['in the middle of the body', resetMidBody()],
  ])('fails as "down" if the connection is reset %s', async (_case, reply) => {
    registry.on('cut.test', reply);
    expect(await get('cut.test')).toMatchObject({
      failure: 'down',
      problem: { code: 'registry_error' },
    });
  });

  it('fails as "down" if the connection is refused or the name does not resolve', async () => {
    await registry.close();
    expect(await get('a.test')).toMatchObject({
      failure: 'down',
      problem: { code: 'registry_error' },
    });
    const body = await client.get('http://registry.invalid/domain/a.test', accept, minute);
    expect(body).toMatchObject({ problem: { code: 'registry_error' } });
  });
});

describe('a response body', () => {
  const mebibyte = 1024 * 1024;

  it('is read up to 1 MiB', async () => {
    registry.on('large.test', huge(mebibyte));
    const reply = await get('large.test');
    expect('body' in reply && reply.body.length).toBe(mebibyte);
  });

  it.each<[string, Reply]>([
    ['it is larger', huge(mebibyte + 1)],
    ['it decompresses to more', gzipBomb()],
    [
      'it is compressed with Brotli',
      status(200, { 'content-type': rdapJson, 'content-encoding': 'br' }, brotliCompressSync('{}')),
    ],
    [
      'it cannot be decoded',
      status(200, { 'content-type': rdapJson, 'content-encoding': 'gzip' }, '{}'),
    ],
  ])('is refused as untrusted if %s', async (_case, reply) => {
    registry.on('large.test', reply);
    expect(await get('large.test')).toMatchObject({
      failure: 'refused',
      problem: { code: 'untrusted_answer' },
    });
  });

  it(
    'of a 503 that does not end occupies its connection for a second at most',
    { timeout: 10_000 },
    async () => {
      const closed = Promise.withResolvers<void>();
      registry.on('endless.test', {
        send(response) {
          response.on('close', closed.resolve);
          response.writeHead(503, { 'content-type': 'text/html' }).flushHeaders();
        },
      });
      expect(await get('endless.test')).toMatchObject({ status: 503 });
      await closed.promise;
    },
  );

  it('of a 403 is not waited for', async () => {
    registry.on('forbidden.test', {
      send: (response) => void response.writeHead(403, { 'content-length': 10_000 }).write('{'),
    });
    expect(await get('forbidden.test')).toMatchObject({ status: 403 });
  });
});
