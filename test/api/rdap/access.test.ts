import { describe, expect, it } from 'vitest';
import { prices } from '../../../src/execution/charging/prices.ts';
import { forThisFile } from '../../support/for-this-file.ts';
import { costIn, startMeteredGateway } from '../../support/gateways/metered-gateway.ts';
import { frozenClock } from '../../support/time/frozen-clock.ts';
import { registered, status } from '../../support/bodies/replies.ts';
import { startGateway } from '../../support/gateways/gateway.ts';
import { scrape } from '../../support/checks/scrape.ts';

const clock = frozenClock();
const metered = await forThisFile(startMeteredGateway, { clock });
metered.registry.on(/^taken/, ({ name }) => registered(name));
metered.registry.on(/^broken/, status(500));
const customer = await metered.newCustomer();

const cost = (requested: number, charged: number) =>
  expect.objectContaining({ requested, charged, refunded: requested - charged });

describe('credits', () => {
  it.each([
    ['a record', 'taken.example', prices.record(1), prices.record(1)],
    ['a name that is not registered', 'free.example', prices.record(1), prices.record(1)],
    ['a failure', 'broken.example', prices.record(1), 0],
    ['the sandbox', 'taken.test', 0, 0],
  ])('%s', async (_what, name, requested, charged) => {
    expect(costIn(await customer.fetch(`/rdap/domain/${name}`))).toEqual(cost(requested, charged));
  });

  it('are required', async () => {
    const poor = await metered.newCustomer({ credits: 1 });
    const response = await poor.fetch('/rdap/domain/taken-dear.example');
    expect(response.status).toBe(402);
    expect(await response.json()).toEqual(expect.objectContaining({ errorCode: 402 }));
    expect(metered.registry.requestCount('taken-dear.example')).toBe(0);
  });
});

describe('keys', () => {
  it('are required for lookups', async () => {
    const response = await metered.gateway.fetch('/rdap/domain/taken.example');
    expect(response.headers.get('www-authenticate')).not.toBeNull();
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual(expect.objectContaining({ errorCode: 401 }));
  });

  it('are not required for help, and for what is not a lookup', async () => {
    for (const [path, code] of [
      ['/rdap/help', 200],
      ['/rdap/domains?name=a*', 501],
      ['/rdap/thing', 400],
    ] as const)
      expect([path, (await metered.gateway.fetch(path)).status]).toEqual([path, code]);
  });

  it('are not repeated in errors', async () => {
    const { key } = customer;
    const response = await customer.fetch(`/rdap/domain/${key}`);
    expect(await response.text()).not.toContain(key);
  });
});

it('counts lookups against the rate limit', async () => {
  await using limited = await startGateway({ env: { RATE_LIMIT: '2' }, clock: frozenClock() });
  const statuses = [];
  for (let sent = 0; sent < 3; sent += 1) {
    const response = await limited.fetch('/rdap/domain/taken.test');
    const { errorCode } = (await response.json()) as { errorCode?: number };
    statuses.push([response.status, errorCode]);
  }
  expect(statuses.at(-1)).toEqual([429, 429]);
});

describe('HTTP caching', () => {
  const path = '/rdap/domain/taken-cached.example';
  it('has an ETag that depends on neither the age nor the source of the answer', async () => {
    const first = await customer.fetch(path);
    clock.advance(5000);
    const second = await customer.fetch(path);
    expect(second.headers.get('etag')).toBe(first.headers.get('etag'));
    expect(second.headers.get('age')).toBe('5');
    expect(second.headers.get('cache-control')).toBe(`private, max-age=${86_400 - 5}`);
    expect(second.headers.get('vary')).toBe('X-API-Key, Authorization, Accept, Accept-Language');
  });

  it('answers a matching condition with a free 304', async () => {
    const etag = (await customer.fetch(path)).headers.get('etag') ?? '';
    const response = await customer.fetch(path, { headers: { 'if-none-match': etag } });
    expect(response.status).toBe(304);
    expect(await response.text()).toBe('');
    expect(costIn(response)).toEqual(expect.objectContaining({ charged: 0 }));
  });

  it('limits the age of a 404, which has no ETag', async () => {
    const { headers } = await customer.fetch('/rdap/domain/free-cached.example');
    expect(headers.get('etag')).toBeNull();
    expect(headers.get('cache-control')).toBe('private, max-age=300');
  });

  it.each(['broken.example', 'no-such'])('excludes the error of %s', async (name) => {
    const { headers } = await customer.fetch(`/rdap/domain/${name}`);
    expect(headers.get('cache-control')).toBe('no-store');
  });
});

it('is counted in metrics by type, without names', async () => {
  await customer.fetch('/rdap/domain/taken-counted.example');
  await customer.fetch('/rdap/unknown-counted/x');
  const text = await (await metered.gateway.fetch('/metrics')).text();
  expect(text).toContain('route="/rdap/domain"');
  expect(text).toContain('route="/rdap"');
  expect(text).not.toContain('counted');
  expect((await scrape(metered.gateway)).sum('rdap_gateway_http_requests_total')).toBeGreaterThan(
    1,
  );
});

it('follows CORS_ORIGINS', async () => {
  await using listed = await startGateway({ env: { CORS_ORIGINS: 'https://app.example' } });
  const allowOrigin = async (origin: string) =>
    (await listed.fetch('/rdap/help', { headers: { origin } })).headers.get(
      'access-control-allow-origin',
    );
  expect(await allowOrigin('https://app.example')).toBe('https://app.example');
  expect(await allowOrigin('https://other.example')).toBeNull();
});
