import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { createHttpClient } from '../../../src/outbound/client.ts';
import { namedRoute, registryRoute } from '../../../src/outbound/routes.ts';
import type { Resolve } from '../../../src/outbound/public-address.ts';
import { createDispatcher } from '../../../src/outbound/dispatcher.ts';
import {
  bootstrapOf,
  startBootstrap,
  writeBootstrap,
} from '../../support/servers/fake-bootstrap.ts';
import { startFakeRegistry } from '../../support/servers/fake-registry.ts';
import {
  loopbackSpellings,
  otherSpellings,
  type Scheme,
  type Spelling,
} from '../../support/bodies/forbidden-urls.ts';
import { startGateway, type Gateway, type Json } from '../../support/gateways/gateway.ts';
import { manualClock } from '../../support/time/manual-clock.ts';
import { notFound, redirect, registered, type Script } from '../../support/bodies/replies.ts';
import { testTls } from '../../support/servers/tls.ts';

const schemes: readonly Scheme[] = ['http', 'https'];
const spellings = [...loopbackSpellings, ...otherSpellings];
/** Longer than hundreds of redirects take on a busy machine, so that a failure is a refusal. */
const timeoutMs = 60_000;

/** Servers on all addresses of this machine, which count connections and must not get any. */
const localServers = {
  http: createHttpServer((_, response) => response.end()),
  https: createHttpsServer(testTls, (_, response) => response.end()),
};
const connections = { http: 0, https: 0 };
const ports = { http: 0, https: 0 };
beforeAll(async () => {
  for (const scheme of schemes) {
    localServers[scheme].on('connection', () => (connections[scheme] += 1));
    ports[scheme] = await listenEverywhere(localServers[scheme]);
  }
});
beforeEach(() => void Object.assign(connections, { http: 0, https: 0 }));
afterAll(() => schemes.forEach((scheme) => localServers[scheme].close()));

async function listenEverywhere(server: Server): Promise<number> {
  server.listen(0, '::');
  await once(server, 'listening').catch(() => once(server.listen(0, '0.0.0.0'), 'listening')); // without IPv6
  return (server.address() as AddressInfo).port;
}

const allUrls = (from: readonly Spelling[] = spellings) =>
  schemes.flatMap((scheme) => from.map((spell) => ({ scheme, url: spell(scheme, ports[scheme]) })));

/**
 * Creates a client that may connect to `origin`, and from there to public addresses. Plain `http:`
 * is allowed, so only addresses are checked.
 */
function clientFrom(origin: string, options: { allowPrivate?: boolean; resolve?: Resolve } = {}) {
  const open = createDispatcher({
    allowPrivate: true,
    connections: 50,
    connectTimeoutMs: timeoutMs,
  });
  const checked = createDispatcher({
    allowPrivate: false,
    ca: testTls.cert,
    connections: 1,
    connectTimeoutMs: timeoutMs,
    ...options,
  });
  const route = namedRoute(
    (other) => other === origin,
    () => open,
    registryRoute(checked, true),
  );
  const client = createHttpClient({ route, userAgent: 'gateway/1.0', clock: systemClock });
  return {
    client,
    [Symbol.asyncDispose]: () => Promise.all([open.destroy(), checked.destroy()]).then(() => {}),
  };
}

/** Queries a registry that redirects to each of the URLs. Resolves to the outcomes. */
async function redirectedTo(urls: readonly string[], options?: Parameters<typeof clientFrom>[1]) {
  await using registry = await startFakeRegistry();
  // Headers are Latin-1; other characters are sent as UTF-8.
  registry.fallback(({ url }) =>
    redirect(Buffer.from(urls[Number(url.slice(1))] ?? '').toString('latin1')),
  );
  await using from = clientFrom(new URL(registry.baseUrl).origin, options);
  return await Promise.all(
    urls.map((_, index) => from.client.get(registry.url(String(index)), {}, timeoutMs)),
  );
}

describe('a redirect to a forbidden address', () => {
  it(`is not followed, in ${spellings.length} spellings, for http: and https:`, async () => {
    const urls = allUrls();
    const outcomes = await redirectedTo(urls.map(({ url }) => url));
    for (const [index, outcome] of outcomes.entries()) {
      expect(outcome, urls[index]?.url).toHaveProperty('problem');
    }
    expect(connections).toEqual({ http: 0, https: 0 });
  });

  it('is refused without a connection attempt if it is an IP literal', async () => {
    const urls = allUrls().filter(
      ({ url }) =>
        /^\p{ASCII}*$/u.test(url) &&
        URL.canParse(url) &&
        /^(?:\[.*\]|[\d.]+)$/.test(new URL(url).hostname),
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
    for (const outcome of await redirectedTo(urls, { resolve }))
      expect(outcome).toMatchObject({ failure: 'refused' });
    expect(connections).toEqual({ http: 0, https: 0 });
  });

  it('is followed, in most spellings, if private addresses are allowed', async () => {
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
    expect(reached.https).toBeGreaterThan(5); // spellings that match the certificate
    expect(connections.https).toBeGreaterThan(10);
  });

  it('by name is resolved once, and the checked address is used', async () => {
    let lookups = 0;
    const resolve: Resolve = (_hostname, _options, callback) =>
      callback(null, [{ address: lookups++ === 0 ? '127.0.0.1' : '192.0.2.1', family: 4 }]);
    const [outcome] = await redirectedTo([`http://rdap.test:${ports.http}/`], {
      allowPrivate: true,
      resolve,
    });
    expect([outcome && 'status' in outcome && outcome.status, lookups]).toEqual([200, 1]);
  });
});

describe.each(['RDAP_BOOTSTRAP_URL', 'RDAP_OVERRIDES'] as const)(
  'a server at a forbidden address in %s',
  (variable) => {
    /** Looks up a name under an entry for each URL (`n0`, `n1` …). Returns the rows. */
    async function lookUpAt(
      urls: readonly string[],
      env: Record<string, string> = {},
    ): Promise<readonly Json[]> {
      const entries = urls.map((_, index) => `n${index}`);
      const document = bootstrapOf({
        unused: 'https://rdap.invalid/',
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
      const answer = await gateway.post('/v1/status/bulk', {
        domains: entries.map((entry) => `free.${entry}`),
        max_age: 0,
      });
      return (await answer.json()).results;
    }

    it(`is not queried, in ${spellings.length} spellings, for http: and https:`, async () => {
      const urls = allUrls();
      const rows = await lookUpAt(urls.map(({ url }) => url));
      expect(rows.length).toBe(urls.length);
      for (const [index, row] of rows.entries()) {
        expect(['unknown', 'unsupported_tld'], urls[index]?.url).toContain(row.status);
        if (row.status === 'unknown')
          expect(['registry_error', 'registry_timeout'], urls[index]?.url).toContain(row.reason);
      }
      expect(connections).toEqual({ http: 0, https: 0 });
    });

    it('is queried if private addresses are allowed', async () => {
      await lookUpAt(
        allUrls(loopbackSpellings.slice(0, 60)).map(({ url }) => url),
        { RDAP_ALLOW_PRIVATE: 'true' },
      );
      expect(connections.http).toBeGreaterThan(10);
      expect(connections.https).toBeGreaterThan(10);
    });
  },
);

const links = (href: string) => ({
  members: { links: [{ rel: 'related', type: 'application/rdap+json', href }] },
});

/**
 * Starts a registry whose response for `nINDEX.aa` leads to the URL with that index, and a gateway
 * that queries it for `aa`.
 */
async function gatewayLedTo(
  stack: AsyncDisposableStack,
  script: (url: string) => Script,
  urls: readonly string[],
): Promise<Gateway> {
  const registry = stack.use(await startFakeRegistry());
  registry.fallback((request) => {
    const url = urls[Number(/^n(\d+)\.aa$/.exec(request.name)?.[1])];
    const reply = url === undefined ? notFound() : script(Buffer.from(url).toString('latin1'));
    return typeof reply === 'function' ? reply(request) : reply;
  });
  return stack.use(
    await startGateway({
      registries: { aa: registry.baseUrl },
      env: {
        MAX_LOOKUPS: '1000',
        RDAP_RATE: '0',
        RDAP_TIMEOUT_MS: String(timeoutMs),
        QUEUE_TIMEOUT_MS: String(timeoutMs),
      },
    }),
  );
}
const names = (urls: readonly string[]) => urls.map((_, index) => `n${index}.aa`);

describe('with RDAP_ALLOW_PRIVATE, a registry that the bootstrap document names at a private address', () => {
  it('cannot redirect to another private address', async () => {
    await using stack = new AsyncDisposableStack();
    const urls = allUrls().map(({ url }) => url);
    const gateway = await gatewayLedTo(stack, (url) => redirect(url), urls);
    const { results } = await (
      await gateway.post('/v1/status/bulk', { domains: names(urls) })
    ).json();
    expect(results.length).toBe(urls.length);
    // Some spellings, such as `http:/127.0.0.1/`, are paths of the registry itself.
    expect(results.filter(({ status }: Json) => status === 'unknown').length).toBeGreaterThan(
      0.9 * urls.length,
    );
    expect(connections).toEqual({ http: 0, https: 0 });
  });

  it('cannot make the gateway follow a link to another private address', async () => {
    await using stack = new AsyncDisposableStack();
    const urls = allUrls().map(({ url }) => url);
    const gateway = await gatewayLedTo(
      stack,
      (url) => (request) => registered(request.name, links(url)),
      urls,
    );
    const { data } = await gateway.graphql(
      'query ($names: [String!]) { domains(domains: $names) { status registrarRdap { handle } } }',
      { names: names(urls) },
    );
    expect(data.domains).toEqual(urls.map(() => ({ status: 'REGISTERED', registrarRdap: null })));
    expect(connections).toEqual({ http: 0, https: 0 });
  });

  it('may redirect within its origin', async () => {
    await using registry = await startFakeRegistry();
    registry.on('taken.aa', ({ url }) =>
      url.startsWith('/v2/') ? registered('taken.aa') : redirect('/v2/domain/taken.aa'),
    );
    await using gateway = await startGateway({ registries: { aa: registry.baseUrl } });
    expect((await gateway.get('/v1/status?domain=taken.aa')).results[0].status).toBe('registered');
  });

  it('may redirect and link to another origin only while the bootstrap document names it', async () => {
    await using registry = await startFakeRegistry();
    await using other = await startFakeRegistry();
    registry.on('moved.aa', redirect(other.url('domain/moved.aa')));
    registry.on('linked.aa', registered('linked.aa', links(other.url('domain/linked.aa'))));
    other.fallback(({ name }) => registered(name));
    const clock = manualClock();
    // A document that has lost a tenth of its entries would be rejected.
    const fillers = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [`filler${index}`, registry.baseUrl]),
    );
    const document = bootstrapOf({ ...fillers, aa: registry.baseUrl, bb: other.baseUrl });
    await using bootstrap = await startBootstrap(document, { clock });
    await using gateway = await startGateway({
      env: { RDAP_BOOTSTRAP_URL: bootstrap.documentUrl },
      clock,
    });
    const lookUpBoth = async () => {
      const moved = (await gateway.get('/v1/status?domain=moved.aa&max_age=0')).results[0].status;
      const linked = await gateway.graphql(
        '{ domain(name: "linked.aa", maxAge: 0) { registrarRdap { handle } } }',
      );
      return [moved, linked.data.domain.registrarRdap];
    };
    expect(await lookUpBoth()).toEqual(['registered', { handle: 'FAKE-linked.aa' }]);
    bootstrap.publish(bootstrapOf({ ...fillers, aa: registry.baseUrl }));
    clock.advance(24 * 60 * 60_000);
    await expect
      .poll(async () => (await gateway.get('/v1/status?domain=x.bb')).results[0].status)
      .toBe('unsupported_tld');
    const before = other.requests.length;
    expect(await lookUpBoth()).toEqual(['unknown', null]);
    expect(other.requests.length).toBe(before);
  });
});

it('the tests use at least 150 spellings of forbidden URLs', () => {
  expect(new Set(spellings.map((spell) => spell('http', 80))).size).toBeGreaterThanOrEqual(150);
});
