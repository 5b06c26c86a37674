import { brotliCompressSync, gzipSync } from 'node:zlib';
import { MockAgent } from 'undici';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../../src/clock.ts';
import { createHttpClient, type HttpClient } from '../../../../src/sources/rdap/http/client.ts';
import { createDispatcher } from '../../../../src/sources/rdap/http/dispatcher.ts';
import { registryRoute } from '../../../../src/sources/rdap/http/origin-routes.ts';
import { domainObject } from '../../../support/domain-object.ts';
import { startFakeRegistry, type FakeRegistry } from '../../../support/fake-registry.ts';
import {
  drip,
  gzipBomb,
  hang,
  huge,
  reset,
  resetMidBody,
} from '../../../support/hostile-replies.ts';
import { rdapJson, registered, status, type Reply } from '../../../support/replies.ts';

const minute = 60_000;
const accept = { accept: 'application/rdap+json, application/json;q=0.9' };

const cleanup = new AsyncDisposableStack();
let registry: FakeRegistry;
let client: HttpClient;
beforeEach(async () => {
  registry = await startFakeRegistry();
  registry.fallback(({ name }) => registered(name));
  client = clientFor();
});
afterEach(() => registry.close());
afterAll(() => cleanup.disposeAsync());

/** As the gateway makes it where registries may be private. */
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

describe('a question to a registry', () => {
  it('says who asks, and what is understood', async () => {
    const reply = await get('a.test');
    expect(reply).toMatchObject({ status: 200, mediaType: rdapJson, retryAfter: undefined });
    expect(registry.requests[0]).toMatchObject({ method: 'GET', url: '/domain/a.test' });
    expect(registry.requests[0]?.headers).toMatchObject({ 'user-agent': 'gateway/1.0', ...accept });
    expect(registry.requests[0]?.headers).not.toHaveProperty('cookie');
  });

  it('goes over a connection that is kept alive and used again', async () => {
    const ports = new Set<number | undefined>();
    registry.fallback({
      send(response, request, clock) {
        ports.add(response.socket?.remotePort);
        return registered(request.name).send(response, request, clock);
      },
    });
    for (let asked = 0; asked < 20; asked += 1) await get('a.test');
    // A question that follows on the heels of an answer may still find that answer's connection taken.
    expect(ports.size).toBeLessThanOrEqual(2);
  });

  it('reads a compressed answer, and what it was asked to wait', async () => {
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

describe('an answer that does not come', () => {
  it('is a failure, told once, where the question cannot even be sent', async () => {
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
    // Longer than that time limit: a second failure, which nobody would hear of, would end the process.
    expect(await get('a.test')).toMatchObject({ status: 200 });
  });

  it.each<[string, Reply]>([
    ['hangs', hang()],
    ['drips', drip('{'.padEnd(10_000), 20)],
  ])('is given up at the deadline when the server %s', async (_how, reply) => {
    registry.on('slow.test', reply);
    expect(await get('slow.test', 200)).toMatchObject({
      failure: 'timeout',
      problem: { code: 'registry_timeout' },
    });
    await registry.when(({ inFlight }) => inFlight === 0);
  });

  it.each<[string, Reply]>([
    ['at once', reset()],
    ['in the middle', resetMidBody()],
  ])('is a broken server when the connection is cut %s', async (_how, reply) => {
    registry.on('cut.test', reply);
    expect(await get('cut.test')).toMatchObject({
      failure: 'down',
      problem: { code: 'registry_error' },
    });
  });

  it('is a broken server when nobody listens, or its name is unknown', async () => {
    await registry.close();
    expect(await get('a.test')).toMatchObject({
      failure: 'down',
      problem: { code: 'registry_error' },
    });
    expect(await client.get('http://registry.invalid/domain/a.test', accept, minute)).toMatchObject(
      {
        problem: { code: 'registry_error' },
      },
    );
  });
});

describe('an answer that is too large', () => {
  const mebibyte = 1024 * 1024;

  it('is read up to 1 MiB', async () => {
    registry.on('large.test', huge(mebibyte));
    const reply = await get('large.test');
    expect('body' in reply && reply.body.length).toBe(mebibyte);
  });

  it.each<[string, Reply]>([
    ['it is longer', huge(mebibyte + 1)],
    ['it unpacks to more', gzipBomb()],
    [
      'it is compressed with Brotli',
      status(200, { 'content-type': rdapJson, 'content-encoding': 'br' }, brotliCompressSync('{}')),
    ],
    [
      'it cannot be unpacked',
      status(200, { 'content-type': rdapJson, 'content-encoding': 'gzip' }, '{}'),
    ],
  ])('proves nothing when %s', async (_what, reply) => {
    registry.on('large.test', reply);
    expect(await get('large.test')).toMatchObject({
      failure: 'refused',
      problem: { code: 'untrusted_answer' },
    });
  });

  it(
    'holds its connection for a second at most when it is a refusal that does not end',
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

  it('is judged by its status alone when it is a refusal, however it drips', async () => {
    registry.on('no.test', {
      send: (response) => void response.writeHead(403, { 'content-length': 10_000 }).write('{'),
    });
    expect(await get('no.test')).toMatchObject({ status: 403 });
  });
});
