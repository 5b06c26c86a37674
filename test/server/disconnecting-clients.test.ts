import { expect, it } from 'vitest';
import { startFakeRegistry } from '../support/servers/fake-registry.ts';
import { startGateway } from '../support/gateways/gateway.ts';
import { manualClock } from '../support/time/manual-clock.ts';
import { registered } from '../support/bodies/replies.ts';
import { scrapeUntil } from '../support/checks/scrape.ts';
import { paused } from '../support/bodies/scripts.ts';

const list = JSON.stringify(Array.from({ length: 20 }, (_, index) => `queued${index}.example`));
const json = { 'content-type': 'application/json' };
const graphql = (query: string, accept: string): [string, RequestInit] => [
  '/graphql',
  { method: 'POST', headers: { ...json, accept }, body: JSON.stringify({ query }) },
];
const bulk = (accept: string): [string, RequestInit] => [
  '/v1/status/bulk',
  { method: 'POST', headers: { ...json, accept }, body: `{"domains":${list}}` },
];

it.each([
  ['a query', ...graphql(`{ domains(domains: ${list}) { available } }`, 'application/json')],
  [
    'a deferred query',
    ...graphql(`{ domains(domains: ${list}) { ... @defer { available } } }`, 'multipart/mixed'),
  ],
  [
    'a subscription',
    ...graphql(
      `subscription { availability(domains: ${list}) { available } }`,
      'text/event-stream',
    ),
  ],
  ['a bulk call', ...bulk('application/json')],
  ['a bulk call with NDJSON', ...bulk('application/x-ndjson')],
])('a client that disconnects has its queued lookups cancelled: %s', async (_what, path, init) => {
  await using registry = await startFakeRegistry();
  const reply = paused(({ name }) => registered(name));
  registry.fallback(reply);
  const clock = manualClock();
  await using gateway = await startGateway({
    clock,
    registries: { example: registry.baseUrl },
    env: { RDAP_RATE: '0', RDAP_CONCURRENCY: '1' },
  });
  const queued = (count: number) =>
    scrapeUntil(gateway, ({ sum }) => sum('rdap_gateway_registry_requests_queued') === count);
  const controller = new AbortController();
  const outcome = gateway
    .fetch(path, { ...init, signal: controller.signal })
    .then((response) => response.text())
    .catch(() => 'aborted');
  await registry.whenRequested('queued0.example');
  await queued(19);
  controller.abort();
  expect(await outcome).toBe('aborted');
  await queued(0);
  const other = gateway.get('/v1/status?domain=other.example');
  reply.release();
  expect((await other).results).toMatchObject([{ available: false }]);
  expect(registry.requests.map(({ name }) => name)).toEqual(['queued0.example', 'other.example']);
});
