import { expect, it } from 'vitest';
import { createMetrics } from '../../src/metrics/metrics.ts';
import { startGateway, type Gateway } from '../support/gateway.ts';
import { scrape } from '../support/scrape.ts';

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
