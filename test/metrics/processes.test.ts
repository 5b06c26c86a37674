import { expect, it } from 'vitest';
import { createMetrics, type Metrics } from '../../src/metrics/metrics.ts';
import { mergeSnapshots, remainsOf, type Snapshot } from '../../src/metrics/snapshot.ts';
import { startGateway, type Gateway } from '../support/gateway.ts';
import { scrape } from '../support/scrape.ts';

/** The figures of a process that answered so many requests and has so many open, as they come over a wire. */
async function figuresOf(answered: number, open: number, closedSeconds: number): Promise<Snapshot> {
  const metrics: Metrics = createMetrics();
  metrics.count('gateway_requests_total', ['/graphql', 200, 'ok'], answered);
  for (let times = 0; times < answered; times++) metrics.observe('gateway_request_duration_seconds', ['/graphql'], 0.2);
  metrics.read('gateway_requests_in_flight', () => [[[], open]]);
  metrics.read('gateway_registry_closed_seconds', () => [[['rdap.example'], closedSeconds]]);
  metrics.read('gateway_processes', () => [[[], 1]]);
  return JSON.parse(JSON.stringify(await metrics.snapshot()));
}

/** What a gateway of such processes shows. */
async function shownOf(snapshots: readonly Snapshot[]) {
  await using gateway = await startGateway({ allMetrics: async () => snapshots });
  return scrape(gateway);
}

it('several processes are shown as one: sums, and the longest that any was told to wait', async () => {
  const { sum } = await shownOf([await figuresOf(3, 1, 20), await figuresOf(4, 2, 5)]);
  expect(sum('gateway_requests_total', { door: '/graphql', status: '200', code: 'ok' })).toBe(7);
  expect(sum('gateway_request_duration_seconds_bucket', { door: '/graphql', le: '0.25' })).toBe(7);
  expect(sum('gateway_request_duration_seconds_count', { door: '/graphql' })).toBe(7);
  expect([sum('gateway_requests_in_flight'), sum('gateway_processes')]).toEqual([3, 2]);
  expect(sum('gateway_registry_closed_seconds', { host: 'rdap.example' })).toBe(20);
});

it('what a process had counted stays when it has ended, and what it was doing does not', async () => {
  const ended = await mergeSnapshots([remainsOf(await figuresOf(3, 1, 20)), remainsOf(await figuresOf(1, 1, 30))]);
  const { sum } = await shownOf([ended, await figuresOf(4, 2, 5)]);
  expect([sum('gateway_requests_total'), sum('gateway_request_duration_seconds_count')]).toEqual([8, 8]);
  expect([sum('gateway_requests_in_flight'), sum('gateway_processes')]).toEqual([2, 1]);
  expect(sum('gateway_registry_closed_seconds')).toBe(5);
});

it('figures of the process come with those of the gateway', async () => {
  await using gateway = await startGateway();
  const { sum, types } = await scrape(gateway);
  expect(sum('gateway_processes')).toBe(1);
  expect(sum('process_resident_memory_bytes')).toBeGreaterThan(1e7);
  expect(sum('process_start_time_seconds')).toBeGreaterThan(1e9);
  expect(sum('gateway_event_loop_busy_seconds_total')).toBeGreaterThan(0);
  expect([types.get('nodejs_eventloop_lag_p99_seconds'), types.get('nodejs_gc_duration_seconds')]).toEqual(['gauge', 'histogram']);
});

it('what was never counted is there, at nothing, where it has no labels', async () => {
  const figures = await createMetrics().snapshot();
  const valuesOf = (wanted: string) => figures.find(({ name }) => name === wanted)?.values;
  expect(valuesOf('gateway_credits_charged_total')).toEqual([{ labels: {}, value: 0 }]);
  expect(valuesOf('gateway_verdicts_total')).toEqual([]);
});

const recordsAt = async (gateway: Gateway) => (await scrape(gateway)).sum('gateway_requests_total', { door: '/v1/rdap' });

it('two gateways in one process count apart', async () => {
  await using one = await startGateway();
  await using other = await startGateway();
  await one.get('/v1/rdap?domain=taken.test');
  expect([await recordsAt(one), await recordsAt(other)]).toEqual([1, 0]);
});
