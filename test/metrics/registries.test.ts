import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startFakeRegistry, type FakeRegistry } from '../support/fake-registry.ts';
import { startGateway, type Gateway } from '../support/gateway.ts';
import { hang } from '../support/hostile-replies.ts';
import { jumpingClock } from '../support/jumping-clock.ts';
import { manualClock } from '../support/manual-clock.ts';
import { html, notFound, registered, status, type Script } from '../support/replies.ts';
import { scrape, scrapeUntil } from '../support/scrape.ts';
import { paused } from '../support/scripts.ts';

let registry: FakeRegistry;
let host: string;
beforeEach(async () => {
  registry = await startFakeRegistry();
  registry.on('nic.example', registered('nic.example'));
  host = new URL(registry.baseUrl).host;
});
afterEach(() => registry.close());

const start = (options: Parameters<typeof startGateway>[0] = {}) =>
  startGateway({
    registries: { example: registry.baseUrl, idle: 'https://rdap.idle.example/' },
    ...options,
  });

const ask = (gateway: Gateway, name = 'a.example') =>
  gateway.get(`/v1/status?domain=${name}&max_age=0`);

describe('a question to a registry is counted by host and by what became of it', () => {
  it.each<[string, Script]>([
    ['answered', notFound()],
    ['answered', registered('a.example')],
    ['invalid', html(404)],
    ['invalid', status(403)],
    ['busy', status(429)],
    ['error', status(500)],
    ['timeout', hang()],
  ])('%s', async (outcome, script) => {
    await using gateway = await start({ env: { RDAP_TIMEOUT_MS: '400' } });
    await ask(gateway, 'first.example'); // after which the registry is known to find what it must hold
    const before = await scrape(gateway);
    registry.on('a.example', script);
    await ask(gateway);
    const after = await scrape(gateway);
    const questions =
      after.sum('rdap_gateway_registry_requests_total', { host, outcome }) -
      before.sum('rdap_gateway_registry_requests_total', { host, outcome });
    expect(questions).toBe(registry.asked('a.example'));
    expect(after.sum('rdap_gateway_registry_request_duration_seconds_count', { host })).toBe(
      registry.requests.length,
    );
  });
});

it('questions that wait for their turn and those that are on their way are told apart', async () => {
  const slow = paused(notFound());
  registry.fallback(slow);
  await using gateway = await start({ env: { RDAP_CONCURRENCY: '2', RDAP_RATE: '0' } });
  const answers = ['a', 'b', 'c', 'd', 'e'].map((label) => ask(gateway, `${label}.example`));
  const { sum } = await scrapeUntil(
    gateway,
    (scraped) => scraped.sum('rdap_gateway_registry_requests_queued', { host }) === 3,
  );
  expect(sum('rdap_gateway_registry_requests_in_flight', { host })).toBe(2);
  slow.release();
  await Promise.all(answers);
  const after = await scrape(gateway);
  expect([
    after.sum('rdap_gateway_registry_requests_queued'),
    after.sum('rdap_gateway_registry_requests_in_flight'),
  ]).toEqual([0, 0]);
});

it('a host that asked to be left alone is shown as closed, and what it is not sent is counted', async () => {
  const clock = jumpingClock();
  await using gateway = await start({ clock });
  registry.on('a.example', status(429, { 'retry-after': '100' }));
  await ask(gateway);
  await ask(gateway, 'b.example');
  const { sum } = await scrape(gateway);
  expect(sum('rdap_gateway_registry_backoff_seconds', { host })).toBeGreaterThan(90);
  expect(
    sum('rdap_gateway_registry_requests_total', { host, outcome: 'rejected' }),
  ).toBeGreaterThan(0);
  expect(registry.asked('b.example')).toBe(0);
  clock.leap(101_000);
  expect((await scrape(gateway)).sum('rdap_gateway_registry_backoff_seconds', { host })).toBe(0);
});

it('a host that does nothing but fail is shown as broken, until it is given its next chance', async () => {
  const clock = manualClock();
  await using gateway = await start({ clock, env: { RDAP_RATE: '0' } });
  registry.fallback(status(500));
  const broken = async () =>
    (await scrape(gateway)).sum('rdap_gateway_registry_circuit_open', { host });
  await ask(gateway);
  expect(await broken()).toBe(0);
  for (let times = 0; times < 10; times++) await ask(gateway, `${times}.example`);
  expect(await broken()).toBe(1);
  clock.advance(5000);
  expect(await broken()).toBe(0);
});

it('hosts that nobody asked for are not shown', async () => {
  await using gateway = await start();
  await ask(gateway);
  const scraped = await scrape(gateway);
  expect(scraped.values('rdap_gateway_registry_requests_in_flight', 'host')).toEqual([host]);
  expect(scraped.text).not.toContain('rdap.idle.example');
});

it('registrars, of which there are thousands, are shown as one', async () => {
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
  expect(registrar.asked('taken.example')).toBe(1);
  const scraped = await scrape(gateway);
  expect(
    scraped.sum('rdap_gateway_registry_requests_total', {
      host: 'registrars',
      outcome: 'answered',
    }),
  ).toBe(1);
  expect(scraped.text).not.toContain(new URL(registrar.baseUrl).host);
});

it('the list of registries is as old as it was last found to be the newest', async () => {
  const clock = manualClock(Date.UTC(2027, 0, 2));
  await using gateway = await start({ clock });
  expect((await scrape(gateway)).sum('rdap_gateway_bootstrap_last_success_timestamp_seconds')).toBe(
    Date.UTC(2027, 0, 2) / 1000,
  );
});

it('a list that was never had has no age', async () => {
  const nowhere = { RDAP_BOOTSTRAP_URL: 'file:///nothing/here.json' };
  await using gateway = await start({ env: nowhere });
  expect((await scrape(gateway)).sum('rdap_gateway_bootstrap_last_success_timestamp_seconds')).toBe(
    0,
  );
});
