import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { createHttpClient } from '../../src/outbound/client.ts';
import { createDispatcher, connectThrough } from '../../src/outbound/dispatcher.ts';
import { startFakeRegistry } from '../support/servers/fake-registry.ts';
import { forThisFile } from '../support/for-this-file.ts';
import { startGateway, type Json } from '../support/gateways/gateway.ts';
import { startHttpProxy } from '../support/servers/http-proxy.ts';
import { memoryLog } from '../support/checks/memory-log.ts';
import { redirect, registered } from '../support/bodies/replies.ts';
import { testTls } from '../support/servers/tls.ts';

const credentials = 'user:p%40ss';

const { log, lines } = memoryLog();

const proxy = await forThisFile(startHttpProxy, 'user:p@ss');
const registry = await forThisFile(startFakeRegistry);
const other = await forThisFile(startFakeRegistry);
registry.on(/^(?:nic|taken)\./, ({ name }) => registered(name));
registry.on('elsewhere.com', redirect(new URL('domain/elsewhere.com', other.baseUrl).href));
const gateway = await forThisFile(startGateway, {
  registries: { com: registry.baseUrl },
  log,
  env: {
    OUTBOUND_PROXY: proxy.url.replace('user:p@ss', credentials),
    RDAP_TIMEOUT_MS: '1000',
    RDAP_RATE: '0',
    SOURCES_FILE: '',
  },
});

afterEach(() => {
  proxy.behavior = 'pass';
});

async function rowOf(domain: string): Promise<Json> {
  return (await gateway.get(`/v1/status?domain=${domain}&max_age=0`)).results[0];
}

describe('a gateway behind a proxy', () => {
  it('sends requests to the registries of the directory through it', async () => {
    expect(await rowOf('taken.com')).toMatchObject({ available: false, source: 'rdap' });
    expect(await rowOf('free.com')).toMatchObject({ available: true, source: 'rdap' });
    expect(new Set(proxy.authorities)).toEqual(new Set([new URL(registry.baseUrl).host]));
  });

  it('sends the certificate search through it', async () => {
    const search = await startFakeRegistry();
    await using own = await startGateway({
      env: {
        OUTBOUND_PROXY: proxy.url.replace('user:p@ss', credentials),
        CT_SEARCH_URL: search.baseUrl,
      },
    });
    await own.fetch('/v1/subdomains?domain=example.com');
    expect(search.requests).toHaveLength(1);
    expect(proxy.authorities.at(-1)).toBe(new URL(search.baseUrl).host);
    await search.close();
  });

  it('follows redirects to no other host, whose address it cannot check', async () => {
    const { available, detail } = await rowOf('elsewhere.com');
    expect(available).toBeNull();
    expect(detail).toContain('not allowed');
    expect(other.requests).toEqual([]);
  });

  it.each([
    ['refuse', 'registry_error', 'the proxy refused the connection (403)'],
    ['close', 'registry_error', 'the proxy could not be reached, or closed the connection'],
    ['garbage', 'registry_error', 'be reached'],
    ['hang', 'registry_timeout', 'did not respond within 1000 ms'],
    ['drip', 'registry_timeout', 'did not respond within 1000 ms'],
  ] as const)('says what failed if the proxy is at fault (%s)', async (behavior, code, text) => {
    await using own = await startGateway({
      registries: { com: registry.baseUrl },
      env: { OUTBOUND_PROXY: proxy.url.replace('user:p@ss', credentials), RDAP_TIMEOUT_MS: '1000' },
    });
    const before = proxy.authorities.length;
    proxy.behavior = behavior;
    const { results } = await own.get('/v1/status?domain=taken.com');
    expect(results).toMatchObject([{ available: null, reason: code }]);
    expect(results[0].detail).toContain(text);
    expect(proxy.authorities.length - before).toBeLessThanOrEqual(2);
  });

  it('says that the proxy asks for a password, and never logs one', async () => {
    await using own = await startGateway({
      registries: { com: registry.baseUrl },
      env: { OUTBOUND_PROXY: proxy.url.replace('user:p@ss', 'user:wrong') },
      log,
    });
    const { results } = await own.get('/v1/status?domain=taken.com');
    expect(results[0].detail).toContain('the proxy asks for a user name and a password (407)');
    expect(JSON.stringify(lines)).not.toMatch(/p%40ss|p@ss|wrong/);
  });

  it('uses no DNS, WHOIS and availability services, and reads no sites, and says so', async () => {
    const { tlds } = await gateway.get('/v1/tlds?limit=10000');
    const kinds = tlds.flatMap(({ sources }: Json) => sources.map(({ source }: Json) => source));
    expect(new Set(kinds)).toEqual(new Set(['rdap']));
    const site = await gateway.fetch('/v1/robots?domain=www.example.com');
    expect(site.status).toBe(501);
    expect(await site.text()).toContain('OUTBOUND_DIRECT');
    expect((await gateway.fetch('/v1/robots?domain=taken.test')).status).toBe(200);
  });

  it.each(['taken.eu', 'taken.it', 'taken.cn'])(
    'has no verdict of a TLD whose sources do not pass it, and says so: %s',
    async (domain) => {
      const problem = { code: 'registry_error', retryable: false };
      expect(await rowOf(domain)).toMatchObject({
        available: null,
        status: 'unknown',
        reason: 'registry_error',
        detail: expect.stringContaining('OUTBOUND_DIRECT'),
      });
      const record = await gateway.fetch(`/v1/rdap?domain=${domain}`);
      expect([record.status, await record.json()]).toMatchObject([502, problem]);
      expect(await rowOf('taken.unused-tld')).toMatchObject({ status: 'unsupported_tld' });
    },
  );

  it('uses what OUTBOUND_DIRECT names without the proxy', async () => {
    const before = proxy.authorities.length;
    await using own = await startGateway({
      registries: { com: registry.baseUrl },
      env: { OUTBOUND_PROXY: proxy.url, OUTBOUND_DIRECT: 'whois, das 127.0.0.1', SOURCES_FILE: '' },
    });
    const { results } = await own.get('/v1/status?domain=taken.com');
    expect(results).toMatchObject([{ available: false }]);
    expect(proxy.authorities).toHaveLength(before);
    const { tlds } = await own.get('/v1/tlds?limit=10000');
    const kinds = tlds.flatMap(({ sources }: Json) => sources.map(({ source }: Json) => source));
    expect(new Set(kinds)).toEqual(new Set(['rdap', 'whois', 'das']));
  });

  it.each(['https://proxy.example:3128', 'proxy.example', 'http://proxy.example/path'])(
    'rejects the setting %s without a password in the message',
    async (url) => {
      const start = startGateway({ env: { OUTBOUND_PROXY: url.replace('//', '//user:p4ss@') } });
      await expect(start).rejects.toThrow(/^OUTBOUND_PROXY must be an http: URL of a proxy/);
      await expect(start).rejects.not.toThrow('p4ss');
    },
  );
});

it('closes the connection of a proxy whose answer does not end in time', async () => {
  await using open = await startHttpProxy();
  open.behavior = 'drip';
  const proxied = { url: new URL(open.url), isDirect: () => false };
  await expect(connectThrough(proxied, 'a.example:443', 300)).rejects.toThrow(
    'did not respond within 300 ms',
  );
  await expect.poll(() => open.openConnections()).toBe(0);
});

it('closes the connection of a proxy that refuses it, and survives its reset', async () => {
  await using open = await startHttpProxy();
  open.behavior = 'deny';
  const proxied = { url: new URL(open.url), isDirect: () => false };
  const connect = () => connectThrough(proxied, 'a.example:443', 1000);
  await expect(connect()).rejects.toThrow('asks for a user name and a password (407)');
  await expect.poll(() => open.openConnections()).toBe(0);
  await expect(connect()).rejects.toThrow('407');
  open.reset();
  await expect.poll(() => open.openConnections()).toBe(0);
});

it('verifies the certificate of the server behind the proxy', async () => {
  await using open = await startHttpProxy();
  const server = await startFakeRegistry({ tls: testTls });
  const get = async (ca?: string) => {
    const dispatcher = createDispatcher({
      allowPrivate: false,
      connections: 1,
      connectTimeoutMs: 1000,
      proxy: { url: new URL(open.url), isDirect: () => false },
      ...(ca && { ca }),
    });
    const client = createHttpClient({
      route: () => dispatcher,
      userAgent: 'test',
      clock: systemClock,
    });
    const response = await client.get(new URL('domain/free.com', server.baseUrl).href, {}, 1000);
    await dispatcher.destroy();
    return 'status' in response ? response.status : response.failure;
  };
  expect(await get(testTls.cert)).toBe(404);
  expect(await get()).toBe('down');
  await server.close();
});
