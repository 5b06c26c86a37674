import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { startFakeRegistry } from '../support/servers/fake-registry.ts';
import { forThisFile } from '../support/for-this-file.ts';
import { loopback, openFrom } from '../support/requests/in-flight.ts';
import { startGateway } from '../support/gateways/gateway.ts';
import { startMeteredGateway } from '../support/gateways/metered-gateway.ts';
import { sendRaw } from '../support/requests/raw-http.ts';
import { notFound } from '../support/bodies/replies.ts';
import { scrape, scrapeUntil } from '../support/checks/scrape.ts';
import { paused } from '../support/bodies/scripts.ts';
import { frozenClock } from '../support/time/frozen-clock.ts';

const registry = await forThisFile(startFakeRegistry);
registry.fallback(paused(notFound()));

const unlimited = { RATE_LIMIT: '0', RDAP_RATE: '0', RDAP_TIMEOUT_MS: '60000' };
const get = (path: string, headers = '') =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`;
const slow = (headers = '') => get('/v1/status?domain=slow.example', headers);
const closing = 'Connection: close\r\n';
const statusOf = (response: string) => response.slice(9, 12);
const by = (caller: string) => `X-Forwarded-For: ${caller}\r\n`;
const statusFrom = async (url: string, address: string) =>
  statusOf(await sendRaw(url, get('/health', closing), address));

function destroyAll(sockets: readonly Socket[]): void {
  for (const socket of sockets) socket.destroy();
}

describe('an address', { timeout: 30_000 }, () => {
  it('has at most a tenth of the requests in flight, while others are served', async () => {
    await using gateway = await startGateway({
      registries: { example: registry.baseUrl },
      env: unlimited,
    });
    const sockets = await openFrom(gateway, loopback(1), 60, slow().repeat(10));
    await scrapeUntil(gateway, ({ sum }) => sum('rdap_gateway_http_requests_queued') === 100);
    expect((await scrape(gateway)).sum('rdap_gateway_http_requests_in_flight')).toBe(500);
    const send = (address: string) =>
      sendRaw(gateway.url, get('/v1/status?domain=taken.test', closing), address);
    const [own, other] = await Promise.all([send(loopback(1)), send(loopback(2))]);
    expect([statusOf(own), statusOf(other)]).toEqual(['503', '200']);
    destroyAll(sockets);
    await scrapeUntil(gateway, ({ sum }) => sum('rdap_gateway_http_requests_in_flight') === 0);
    expect(statusOf(await send(loopback(1)))).toBe('200');
  });

  it('that a trusted proxy forwards has at most a tenth of the requests in flight', async () => {
    const env = { ...unlimited, AUTH: 'open', TRUSTED_PROXIES: '127.0.0.0/8' };
    await using gateway = await startGateway({ registries: { example: registry.baseUrl }, env });
    const sockets = await openFrom(gateway, loopback(1), 60, slow(by('192.0.2.1')).repeat(10));
    await scrapeUntil(gateway, ({ sum }) => sum('rdap_gateway_http_requests_queued') === 100);
    const send = (caller: string) => sendRaw(gateway.url, get('/v1/nothing', by(caller) + closing));
    expect((await Promise.all([send('192.0.2.1'), send('192.0.2.2')])).map(statusOf)).toEqual([
      '503',
      '404',
    ]);
    destroyAll(sockets);
  });

  it('has at most a tenth of the connections unless it is a trusted proxy', async () => {
    await using gateway = await startGateway();
    const sockets = await openFrom(gateway, loopback(2), 1000);
    expect(await statusFrom(gateway.url, loopback(2))).toBe('');
    expect(await statusFrom(gateway.url, loopback(3))).toBe('200');
    destroyAll(sockets);
    await using behindProxy = await startGateway({ env: { TRUSTED_PROXIES: loopback(2) } });
    const proxySockets = await openFrom(behindProxy, loopback(2), 1010);
    expect(await statusFrom(behindProxy.url, loopback(2))).toBe('200');
    destroyAll(proxySockets);
  });
});

it(
  'limits a key to a tenth of the requests in flight, from any number of addresses',
  { timeout: 30_000 },
  async () => {
    await using metered = await startMeteredGateway({ env: unlimited });
    const { gateway } = metered;
    metered.registry.on('slow.example', paused(notFound()));
    const [busy, other] = [await metered.newCustomer(), await metered.newCustomer()];
    const addresses = [loopback(1), loopback(2), loopback(3)];
    const text = slow(`X-API-Key: ${busy.key}\r\n`).repeat(10);
    const sockets = (
      await Promise.all(addresses.map((address) => openFrom(gateway, address, 20, text)))
    ).flat();
    await scrapeUntil(
      gateway,
      ({ sum }) => sum('rdap_gateway_http_requests_total', { code: 'overloaded' }) === 100,
    );
    expect((await scrape(gateway)).sum('rdap_gateway_http_requests_in_flight')).toBe(500);
    expect((await busy.fetch('/v1/status?domain=taken.test')).status).toBe(503);
    expect((await other.fetch('/v1/status?domain=taken.test')).status).toBe(200);
    destroyAll(sockets);
  },
);

describe('the rate limit by address', () => {
  it.each([
    ['a page', '/docs', 200],
    ['an asset', '/openapi.json', 200],
    ['an unknown path', '/nothing', 404],
    ['a redirect', '/docs/', 308],
    ['a lookup that needs a setting', '/v1/certificates?domain=shop.example', 501],
  ])('counts %s', async (_what, path, status) => {
    await using gateway = await startGateway({ clock: frozenClock(), env: { RATE_LIMIT: '10' } });
    const send = async () => (await gateway.fetch(path, { redirect: 'manual' })).status;
    const statuses = [];
    for (let times = 0; times < 12; times++) statuses.push(await send());
    // `startGateway` sent the first of the ten.
    expect(statuses).toEqual([...Array(9).fill(status), 429, 429, 429]);
    expect((await gateway.fetch('/health')).status).toBe(200);
    expect((await gateway.fetch('/ready')).status).toBe(200);
    expect((await gateway.fetch('/metrics')).status).toBe(200);
    const preflight = { origin: 'https://app.example', 'access-control-request-method': 'GET' };
    expect(
      (await gateway.fetch('/v1/status', { method: 'OPTIONS', headers: preflight })).status,
    ).toBe(204);
  });

  it('counts a request with an unsupported method', async () => {
    await using gateway = await startGateway({ clock: frozenClock(), env: { RATE_LIMIT: '10' } });
    const statuses = [];
    for (let times = 0; times < 12; times++)
      statuses.push((await gateway.fetch('/v1/rdap', { method: 'PUT' })).status);
    expect(statuses).toEqual([...Array(9).fill(405), 429, 429, 429]);
  });
});
