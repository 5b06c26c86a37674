import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { generateKey } from '../../src/accounts/api-key.ts';
import { startGateway, type Gateway } from '../support/gateways/gateway.ts';

/** Returns a response without the parts that differ between requests. */
async function stableResponse(gateway: Gateway, path: string, init?: RequestInit) {
  const answer = await gateway.fetch(path, init);
  const text = (await answer.text())
    .replaceAll(path, '/some-path')
    .replaceAll(/"request_id":"[^"]+"/g, '');
  const headers = Array.from(answer.headers).filter(
    ([name]) => !['x-request-id', 'date', 'content-length'].includes(name),
  );
  return { status: answer.status, headers, text };
}

async function expectHidden(gateway: Gateway, init?: RequestInit): Promise<void> {
  const answer = await stableResponse(gateway, '/metrics', init);
  expect(answer).toEqual(await stableResponse(gateway, '/nothing-at-all', init));
  expect(answer.status).toBe(404);
}

/** `fetch` cannot set the `Host` header. */
async function statusWithHost(url: URL, host: string): Promise<number | undefined> {
  const [answer] = (await once(
    request(url, { headers: { host }, agent: false }).end(),
    'response',
  )) as [IncomingMessage];
  answer.resume();
  return answer.statusCode;
}

describe('GET /metrics', () => {
  it('is open to loopback clients by default, without a key, a rate limit or a charge', async () => {
    await using gateway = await startGateway({ env: { AUTH: 'required', RATE_LIMIT: '10' } });
    for (let times = 0; times < 20; times++)
      expect((await gateway.fetch('/metrics')).status).toBe(200);
    const answer = await gateway.fetch('/metrics', { headers: { 'x-api-key': generateKey() } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('ratelimit')).toBeNull();
    expect((await gateway.fetch('/metrics', { method: 'HEAD' })).status).toBe(200);
    expect((await gateway.fetch('/metrics', { method: 'POST' })).status).toBe(405);
  });

  it.each([
    undefined,
    { method: 'HEAD' },
    { method: 'POST', body: '{}' },
    { method: 'OPTIONS' },
    { headers: { origin: 'https://a.example' } },
  ])('is a 404 for all other clients (%j)', async (init) => {
    await using gateway = await startGateway({
      env: { RATE_LIMIT: '0', METRICS_ALLOW: '192.0.2.1, 2001:db8::/32' },
    });
    await expectHidden(gateway, init);
  });

  it.each([
    { 'x-forwarded-for': '127.0.0.1' },
    { 'x-forwarded-for': '192.0.2.1' },
    { 'x-forwarded-host': 'gateway.example' },
    { forwarded: 'for=127.0.0.1' },
    { via: '1.1 proxy' },
    { 'x-real-ip': '127.0.0.1' },
    { 'cf-connecting-ip': '127.0.0.1' },
    { 'true-client-ip': '127.0.0.1' },
    { origin: 'https://elsewhere.example' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' },
  ])(
    'is a 404 for requests through an untrusted proxy or from a page of another site (%j)',
    async (headers) => {
      await using gateway = await startGateway({ env: { RATE_LIMIT: '0' } });
      await expectHidden(gateway, { headers });
    },
  );

  it.each(['rebound.example', '127.0.0.1.rebound.example:4000'])(
    'is a 404 for a loopback client with the Host header %s',
    async (host) => {
      await using gateway = await startGateway();
      const statusOf = (path: string) => statusWithHost(new URL(path, gateway.url), host);
      expect(await Promise.all(['/metrics', '/health'].map(statusOf))).toEqual([404, 200]);
      expect(await statusWithHost(new URL('/metrics', gateway.url), 'localhost:4000')).toBe(200);
    },
  );

  it.each(['same-origin', 'none'])(
    'is open to a browser on the same machine (Sec-Fetch-Site: %s)',
    async (site) => {
      await using gateway = await startGateway();
      const { status } = await gateway.fetch('/metrics', { headers: { 'sec-fetch-site': site } });
      expect(status).toBe(200);
    },
  );

  it('is a 404 for a page of another site at an allowed address', async () => {
    await using gateway = await startGateway({ env: behindProxy });
    await expectHidden(gateway, {
      headers: { 'x-forwarded-for': '192.0.2.7', 'sec-fetch-site': 'cross-site' },
    });
  });

  const behindProxy = {
    RATE_LIMIT: '0',
    TRUSTED_PROXIES: '127.0.0.0/8, ::1, 10.0.0.0/8',
    METRICS_ALLOW: '192.0.2.0/24, 127.0.0.1, ::1',
  };

  it.each([
    { 'x-forwarded-for': '192.0.2.7' },
    { 'x-forwarded-for': '198.51.100.1, 192.0.2.7' },
    { 'x-forwarded-for': '192.0.2.7, 10.0.0.1', via: '1.1 proxy' },
    {},
  ])(
    'is open to an allowed address behind a trusted proxy, and to the proxy itself (%j)',
    async (headers) => {
      await using gateway = await startGateway({ env: behindProxy });
      expect((await gateway.fetch('/metrics', { headers })).status).toBe(200);
    },
  );

  it.each([
    { 'x-forwarded-for': '198.51.100.1' },
    { 'x-forwarded-for': '192.0.2.7, 198.51.100.1' },
    { 'x-forwarded-for': '127.0.0.1, 198.51.100.1' },
    { 'x-forwarded-for': 'unknown' },
    { 'x-forwarded-for': '127.0.0.1' },
    { forwarded: 'for=192.0.2.7' },
    { 'x-forwarded-proto': 'https' },
    { via: '1.1 proxy' },
  ])(
    'is a 404 behind a trusted proxy for an address that is missing or not allowed (%j)',
    async (headers) => {
      await using gateway = await startGateway({ env: behindProxy });
      await expectHidden(gateway, { headers });
    },
  );
});
