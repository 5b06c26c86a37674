import { beforeEach, expect, it } from 'vitest';
import { forThisTest } from '../support/for-this-test.ts';
import { startFakeRegistry, type FakeRegistry } from '../support/servers/fake-registry.ts';
import { startGateway, type Gateway } from '../support/gateways/gateway.ts';
import { hang } from '../support/bodies/hostile-replies.ts';
import { jumpingClock } from '../support/time/jumping-clock.ts';
import { manualClock } from '../support/time/manual-clock.ts';
import { html, notFound, registered, status, type Script } from '../support/bodies/replies.ts';
import { scrape, scrapeUntil } from '../support/checks/scrape.ts';
import { paused } from '../support/bodies/scripts.ts';

let registry: FakeRegistry;
let host: string;
beforeEach(async () => {
  registry = await forThisTest(startFakeRegistry);
  registry.on('nic.example', registered('nic.example'));
  host = new URL(registry.baseUrl).host;
});

const start = (options: Parameters<typeof startGateway>[0] = {}) =>
  startGateway({
    registries: { example: registry.baseUrl, idle: 'https://rdap.idle.example/' },
    ...options,
  });

const lookUp = (gateway: Gateway, name = 'a.example') =>
  gateway.get(`/v1/status?domain=${name}&max_age=0`);

it.each<[string, Script]>([
  ['answered', notFound()],
  ['answered', registered('a.example')],
  ['invalid', html(404)],
  ['invalid', status(403)],
  ['busy', status(429)],
  ['error', status(500)],
  ['timeout', hang()],
])(
  'rdap_gateway_registry_requests_total counts a request by host with the outcome %s',
  async (outcome, script) => {
    await using gateway = await start({ env: { RDAP_TIMEOUT_MS: '400' } });
    await lookUp(gateway, 'first.example'); // passes the canary check
    const before = await scrape(gateway);
    registry.on('a.example', script);
    await lookUp(gateway);
    const after = await scrape(gateway);
    const increase =
      after.sum('rdap_gateway_registry_requests_total', { host, outcome }) -
      before.sum('rdap_gateway_registry_requests_total', { host, outcome });
    expect(increase).toBe(registry.requestCount('a.example'));
    expect(after.sum('rdap_gateway_registry_request_duration_seconds_count', { host })).toBe(
      registry.requests.length,
    );
  },
);

it('counts queued requests and requests in flight separately', async () => {
  const slow = paused(notFound());
  registry.fallback(slow);
  await using gateway = await start({ env: { RDAP_CONCURRENCY: '2', RDAP_RATE: '0' } });
  const answers = ['a', 'b', 'c', 'd', 'e'].map((label) => lookUp(gateway, `${label}.example`));
  const { sum } = await scrapeUntil(
    gateway,
    (scraped) => scraped.sum('rdap_gateway_registry_requests_queued', { host }) === 3,
  );
  expect(sum('rdap_gateway_registry_requests_in_flight', { host })).toBe(2);
  slow.release();
  await Promise.all(answers);
  const after = await scrape(gateway);
  expect(after.sum('rdap_gateway_registry_requests_queued')).toBe(0);
  expect(after.sum('rdap_gateway_registry_requests_in_flight')).toBe(0);
});

it('exports the back-off of a host, and counts the requests that it rejects', async () => {
  const clock = jumpingClock();
  await using gateway = await start({ clock });
  registry.on('a.example', status(429, { 'retry-after': '100' }));
  await lookUp(gateway);
  await lookUp(gateway, 'b.example');
  const { sum } = await scrape(gateway);
  expect(sum('rdap_gateway_registry_backoff_seconds', { host })).toBeGreaterThan(90);
  expect(
    sum('rdap_gateway_registry_requests_total', { host, outcome: 'rejected' }),
  ).toBeGreaterThan(0);
  expect(registry.requestCount('b.example')).toBe(0);
  clock.advance(101_000);
  expect((await scrape(gateway)).sum('rdap_gateway_registry_backoff_seconds', { host })).toBe(0);
});

it('exports an open circuit breaker until its next probe', async () => {
  const clock = manualClock();
  await using gateway = await start({ clock, env: { RDAP_RATE: '0' } });
  registry.fallback(status(500));
  const circuitOpen = async () =>
    (await scrape(gateway)).sum('rdap_gateway_registry_circuit_open', { host });
  await lookUp(gateway);
  expect(await circuitOpen()).toBe(0);
  for (let times = 0; times < 10; times++) await lookUp(gateway, `${times}.example`);
  expect(await circuitOpen()).toBe(1);
  clock.advance(5000);
  expect(await circuitOpen()).toBe(0);
});

it('has no series for hosts without requests', async () => {
  await using gateway = await start();
  await lookUp(gateway);
  const scraped = await scrape(gateway);
  expect(scraped.values('rdap_gateway_registry_requests_in_flight', 'host')).toEqual([host]);
  expect(scraped.text).not.toContain('rdap.idle.example');
});

it('combines all registrar hosts in one series', async () => {
  await using registrar = {
    ...(await startFakeRegistry()),
    [Symbol.asyncDispose]: () => registrar.close(),
  };
  const href = registrar.url('domain/taken.example');
  registrar.fallback(registered('taken.example'));
  registry.on(
    'taken.example',
    registered('taken.example', {
      members: { links: [{ rel: 'related', type: 'application/rdap+json', href }] },
    }),
  );
  await using gateway = await start({
    registries: { example: registry.baseUrl, registrar: registrar.baseUrl },
  });
  await gateway.graphql('{ domain(name: "taken.example") { registrarRdap { handle } } }');
  expect(registrar.requestCount('taken.example')).toBe(1);
  const scraped = await scrape(gateway);
  expect(
    scraped.sum('rdap_gateway_registry_requests_total', {
      host: 'registrars',
      outcome: 'answered',
    }),
  ).toBe(1);
  expect(scraped.text).not.toContain(new URL(registrar.baseUrl).host);
});

it('exports the time of the last successful bootstrap refresh', async () => {
  const clock = manualClock(Date.UTC(2027, 0, 2));
  await using gateway = await start({ clock });
  expect((await scrape(gateway)).sum('rdap_gateway_bootstrap_last_success_timestamp_seconds')).toBe(
    Date.UTC(2027, 0, 2) / 1000,
  );
});

it('exports 0 without a successful bootstrap refresh', async () => {
  const nowhere = { RDAP_BOOTSTRAP_URL: 'http://127.0.0.1:1/dns.json' };
  await using gateway = await start({ env: nowhere });
  expect((await scrape(gateway)).sum('rdap_gateway_bootstrap_last_success_timestamp_seconds')).toBe(
    0,
  );
});
