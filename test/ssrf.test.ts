import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../src/clock.ts';
import { createClient } from '../src/rdap/client.ts';
import { createDispatcher, type Resolve } from '../src/rdap/dispatcher.ts';
import { namedRoute, registryRoute } from '../src/rdap/routes.ts';
import { bootstrapOf, writeBootstrap } from './support/fake-bootstrap.ts';
import { startFakeRegistry } from './support/fake-registry.ts';
import { loopbackSpellings, otherSpellings, type Scheme, type Spelling } from './support/forbidden-urls.ts';
import { startGateway, type Gateway, type Json } from './support/gateway.ts';
import { redirect } from './support/replies.ts';
import { testTls } from './support/tls.ts';

const schemes: readonly Scheme[] = ['http', 'https'];
const spellings = [...loopbackSpellings, ...otherSpellings];
const timeoutMs = 2000;

/** Servers of this machine, on all its addresses, that must not be connected to; and who did. */
const canaries = {
  http: createHttpServer((_, response) => response.end()),
  https: createHttpsServer(testTls, (_, response) => response.end()),
};
const connections = { http: 0, https: 0 };
const ports = { http: 0, https: 0 };
beforeAll(async () => {
  for (const scheme of schemes) {
    canaries[scheme].on('connection', () => (connections[scheme] += 1));
    ports[scheme] = await listenEverywhere(canaries[scheme]);
  }
});
beforeEach(() => void Object.assign(connections, { http: 0, https: 0 }));
afterAll(() => schemes.forEach((scheme) => canaries[scheme].close()));

async function listenEverywhere(server: Server): Promise<number> {
  server.listen(0, '::');
  await once(server, 'listening').catch(() => once(server.listen(0, '0.0.0.0'), 'listening')); // where there is no IPv6
  return (server.address() as AddressInfo).port;
}

const allUrls = (from: readonly Spelling[] = spellings) =>
  schemes.flatMap((scheme) => from.map((spell) => ({ scheme, url: spell(scheme, ports[scheme]) })));

/** A client that may go to one origin, and from there where a registry in the world may send it. `http:` is allowed: the address alone counts. */
function clientFrom(origin: string, options: { allowPrivate?: boolean; resolve?: Resolve } = {}) {
  const open = createDispatcher({ allowPrivate: true, connections: 50, connectTimeoutMs: timeoutMs });
  const checked = createDispatcher({ allowPrivate: false, ca: testTls.cert, connections: 1, connectTimeoutMs: timeoutMs, ...options });
  const route = namedRoute(origin, open, registryRoute(checked, true));
  const client = createClient({ route, userAgent: 'gateway/1.0', clock: systemClock });
  return { client, [Symbol.asyncDispose]: () => Promise.all([open.destroy(), checked.destroy()]).then(() => {}) };
}

/** Asks a registry that redirects to each of the URLs; resolves to what came of each. */
async function redirectedTo(urls: readonly string[], options?: Parameters<typeof clientFrom>[1]) {
  await using registry = await startFakeRegistry();
  // A header is Latin-1, and what is beyond is sent as UTF-8.
  registry.fallback(({ url }) => redirect(Buffer.from(urls[Number(url.slice(1))] ?? '').toString('latin1')));
  await using from = clientFrom(new URL(registry.baseUrl).origin, options);
  return await Promise.all(urls.map((_, index) => from.client.get(registry.url(String(index)), {}, timeoutMs)));
}

describe('a registry that redirects to a forbidden place', () => {
  it(`is not followed, in ${spellings.length} spellings, for http: and https:`, async () => {
    const urls = allUrls();
    const outcomes = await redirectedTo(urls.map(({ url }) => url));
    for (const [index, outcome] of outcomes.entries()) {
      expect(outcome, urls[index]?.url).toHaveProperty('problem');
    }
    expect(connections).toEqual({ http: 0, https: 0 });
  });

  it('is refused without a try where the place is written as an address', async () => {
    const urls = allUrls().filter(
      ({ url }) => /^\p{ASCII}*$/u.test(url) && URL.canParse(url) && /^(?:\[.*\]|[\d.]+)$/.test(new URL(url).hostname),
    );
    expect(urls.length).toBeGreaterThan(300);
    for (const [index, outcome] of (await redirectedTo(urls.map(({ url }) => url))).entries()) {
      expect(outcome, urls[index]?.url).toMatchObject({ failure: 'refused' });
    }
  });

  it.each([
    '127.0.0.1',
    '::1',
    '0.0.0.0',
    '::',
    '::ffff:127.0.0.1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::1',
    '10.0.0.1',
    '169.254.169.254',
    '100.64.0.1',
    'fd00::1',
    'fe80::1',
    'fe80::1%lo',
    '1.1.1.1 127.0.0.1',
    '127.0.0.1 1.1.1.1',
    '2606:4700::1111 ::1',
    '2606:4700::1111 1.1.1.1 ::ffff:127.0.0.1',
  ])('by a name that resolves to %s is not followed', async (written) => {
    const addresses = written.split(' ');
    const resolve: Resolve = (_hostname, _options, callback) =>
      callback(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
    const urls = schemes.map((scheme) => `${scheme}://rdap.test:${ports[scheme]}/`);
    for (const outcome of await redirectedTo(urls, { resolve })) expect(outcome).toMatchObject({ failure: 'refused' });
    expect(connections).toEqual({ http: 0, https: 0 });
  });

  it('is followed where private addresses may be: then the canaries hear of it, in most spellings', async () => {
    const reached = { http: 0, https: 0 };
    const urls = allUrls(loopbackSpellings);
    for (const [index, outcome] of (
      await redirectedTo(
        urls.map(({ url }) => url),
        { allowPrivate: true },
      )
    ).entries()) {
      if ('status' in outcome) reached[urls[index]?.scheme ?? 'http'] += 1;
    }
    expect(reached.http).toBeGreaterThan(50);
    expect(connections.http).toBeGreaterThan(10);
    expect(reached.https).toBeGreaterThan(5); // where the certificate's names are met
    expect(connections.https).toBeGreaterThan(10);
  });

  it('by a name is resolved once, and asked at the address that was checked', async () => {
    let asked = 0;
    const resolve: Resolve = (_hostname, _options, callback) =>
      callback(null, [{ address: asked++ === 0 ? '127.0.0.1' : '192.0.2.1', family: 4 }]);
    const [outcome] = await redirectedTo([`http://rdap.test:${ports.http}/`], { allowPrivate: true, resolve });
    expect([outcome && 'status' in outcome && outcome.status, asked]).toEqual([200, 1]);
  });
});

describe.each(['RDAP_BOOTSTRAP_URL', 'RDAP_OVERRIDES'] as const)('a server that %s names at a forbidden place', (variable) => {
  /** A gateway with an entry for each URL, `n0`, `n1` …, each of whose names it is asked for; what came of each. */
  async function asked(urls: readonly string[], env: Record<string, string> = {}): Promise<readonly Json[]> {
    const entries = urls.map((_, index) => `n${index}`);
    const document = bootstrapOf({
      unasked: 'https://rdap.invalid/',
      ...Object.fromEntries(entries.map((entry, index) => [entry, urls[index] ?? ''])),
    });
    await using file = await writeBootstrap({ ...document, trust404: entries });
    const settings = {
      RDAP_ALLOW_PRIVATE: 'false',
      [variable]: variable === 'RDAP_OVERRIDES' ? file.path : file.url,
      MAX_LOOKUPS: '1000',
      ...env,
    };
    await using gateway: Gateway = await startGateway({ env: settings });
    const answer = await gateway.post('/v1/status/bulk', { domains: entries.map((entry) => `free.${entry}`), max_age: 0 });
    return (await answer.json()).results;
  }

  it(`is not asked, in ${spellings.length} spellings, for http: and https:`, async () => {
    const urls = allUrls();
    const rows = await asked(urls.map(({ url }) => url));
    expect(rows.length).toBe(urls.length);
    for (const [index, row] of rows.entries()) {
      expect(['unknown', 'unsupported_tld'], urls[index]?.url).toContain(row.status);
      if (row.status === 'unknown') expect(['registry_error', 'registry_timeout'], urls[index]?.url).toContain(row.reason);
    }
    expect(connections).toEqual({ http: 0, https: 0 });
  });

  it('is asked where private addresses may be: then the canaries hear of it', async () => {
    await asked(
      allUrls(loopbackSpellings.slice(0, 60)).map(({ url }) => url),
      { RDAP_ALLOW_PRIVATE: 'true' },
    );
    expect(connections.http).toBeGreaterThan(10);
    expect(connections.https).toBeGreaterThan(10);
  });
});

it('is tried in at least 150 spellings', () => {
  expect(new Set(spellings.map((spell) => spell('http', 80))).size).toBeGreaterThanOrEqual(150);
});
