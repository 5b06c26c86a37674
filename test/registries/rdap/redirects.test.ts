import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { createHttpClient, type HttpClient } from '../../../src/outbound/client.ts';
import { registryRoute } from '../../../src/outbound/routes.ts';
import { createDispatcher } from '../../../src/outbound/dispatcher.ts';
import { startFakeRegistry, type FakeRegistry } from '../../support/servers/fake-registry.ts';
import { redirect, registered } from '../../support/bodies/replies.ts';
import { testTls } from '../../support/servers/tls.ts';

const cleanup = new AsyncDisposableStack();
let registry: FakeRegistry;
let other: FakeRegistry;
beforeEach(async () => {
  [registry, other] = await Promise.all([startFakeRegistry(), startFakeRegistry()]);
  for (const { fallback } of [registry, other]) fallback(({ name }) => registered(name));
});
afterEach(() => Promise.all([registry.close(), other.close()]));
afterAll(() => cleanup.disposeAsync());

function clientFor({
  allowPrivate,
  allowHttp,
  ca,
}: {
  allowPrivate: boolean;
  allowHttp: boolean;
  ca?: string;
}): HttpClient {
  const dispatcher = createDispatcher({
    allowPrivate,
    connections: 8,
    connectTimeoutMs: 60_000,
    ...(ca && { ca }),
  });
  cleanup.defer(() => dispatcher.destroy());
  return createHttpClient({
    route: registryRoute(dispatcher, allowHttp),
    userAgent: 'gateway/1.0',
    clock: systemClock,
  });
}

const permissive = clientFor({ allowPrivate: true, allowHttp: true });
const get = (url: string, client = permissive) =>
  client.get(url, { accept: 'application/rdap+json' }, 60_000);
const refused = { failure: 'refused', problem: { code: 'registry_error' } };

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])('with %i is followed to any path and origin', async (code) => {
    registry.on('a.test', redirect(other.url('elsewhere/a.test'), code));
    expect(await get(registry.url('domain/a.test'))).toMatchObject({
      status: 200,
      url: { href: other.url('elsewhere/a.test') },
    });
    expect(other.requests[0]).toMatchObject({
      method: 'GET',
      headers: { 'user-agent': 'gateway/1.0', accept: 'application/rdap+json' },
    });
  });

  it('may be relative', async () => {
    registry.on('a.test', redirect('../v2/domain/b.test#part'));
    expect(await get(registry.url('domain/a.test'))).toMatchObject({
      status: 200,
      url: { href: registry.url('v2/domain/b.test') },
    });
  });

  it('is followed up to five times', async () => {
    registry.on(/^\d$/, ({ name }) =>
      name === '0' ? registered('a.test') : redirect(`/domain/${Number(name) - 1}`),
    );
    expect(await get(registry.url('domain/5'))).toMatchObject({ status: 200 });
    expect(await get(registry.url('domain/6'))).toMatchObject(refused);
    expect(registry.requests.length).toBe(6 + 6);
  });

  it('in a loop is refused as soon as a URL repeats', async () => {
    registry.on('self.test', redirect('/domain/self.test'));
    registry.on('a.test', redirect('/domain/b.test'));
    registry.on('b.test', redirect('/domain/a.test'));
    expect(await get(registry.url('domain/self.test'))).toMatchObject(refused);
    expect(await get(registry.url('domain/a.test'))).toMatchObject(refused);
    expect(registry.requests.length).toBe(1 + 2);
  });

  it.each([
    ['an invalid URL', () => 'http://['],
    ['a file: URL', () => 'file:///etc/passwd'],
    ['an ftp: URL', () => 'ftp://example.test/a.test'],
    ['a data: URL', () => 'data:application/rdap+json,{}'],
    ['a URL with a password', () => other.baseUrl.replace('//', '//user:secret@')],
  ])('to %s is refused', async (_case, target) => {
    registry.on('a.test', redirect(target()));
    expect(await get(registry.url('domain/a.test'))).toMatchObject(refused);
    expect(other.requests.length).toBe(0);
  });

  it('from https: to http: is refused, even if http: is allowed', async () => {
    await using secure = await startFakeRegistry({ tls: testTls });
    secure.on('a.test', redirect(registry.url('domain/a.test')));
    for (const allowHttp of [true, false]) {
      const client = clientFor({ allowPrivate: true, allowHttp, ca: testTls.cert });
      expect(await get(secure.url('domain/b.test'), client)).toMatchObject({ status: 404 });
      expect(await get(secure.url('domain/a.test'), client)).toMatchObject(refused);
    }
    expect(registry.requests.length).toBe(0);
  });
});

describe('a registry', () => {
  it('whose URL contains a password is not queried', async () => {
    expect(await get(registry.baseUrl.replace('//', '//user:secret@'))).toMatchObject(refused);
    expect(registry.requests.length).toBe(0);
  });

  it('with an untrusted certificate counts as down', async () => {
    await using secure = await startFakeRegistry({ tls: testTls });
    const client = clientFor({ allowPrivate: true, allowHttp: false });
    expect(await get(secure.url('domain/a.test'), client)).toMatchObject({
      failure: 'down',
      problem: { code: 'registry_error' },
    });
    expect(secure.requests.length).toBe(0);
  });

  it.each(['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '0', '2130706433', '0x7f.1'])(
    'at %s is queried only if private addresses are allowed',
    async (host) => {
      const url = new URL('domain/a.test', registry.baseUrl);
      url.hostname = host;
      const client = clientFor({ allowPrivate: false, allowHttp: true });
      expect(await get(url.href, client)).toMatchObject(refused);
      expect(registry.requests.length).toBe(0);
    },
  );

  it('without TLS is queried only if http: is allowed', async () => {
    const client = clientFor({ allowPrivate: true, allowHttp: false });
    expect(await get(registry.url('domain/a.test'), client)).toMatchObject(refused);
    expect(registry.requests.length).toBe(0);
  });
});
