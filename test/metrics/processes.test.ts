import { expect, it } from 'vitest';
import { Metrics } from '../../src/metrics/metrics.ts';
import { startGateway, type Gateway } from '../support/gateways/gateway.ts';
import { readScrape, scrape } from '../support/checks/scrape.ts';

it('includes metrics of the process and of Node', async () => {
  await using gateway = await startGateway();
  const { sum, types } = await scrape(gateway);
  expect(sum('process_resident_memory_bytes')).toBeGreaterThan(1e7);
  expect(sum('process_start_time_seconds')).toBeGreaterThan(1e9);
  expect(sum('rdap_gateway_event_loop_active_seconds_total')).toBeGreaterThan(0);
  expect(types.get('nodejs_eventloop_lag_p99_seconds')).toBe('gauge');
  expect(types.get('nodejs_gc_duration_seconds')).toBe('histogram');
});

it('starts counters without labels at 0, and those with labels without a sample', async () => {
  await using gateway = await startGateway();
  const { text } = await scrape(gateway);
  expect(text).toMatch(/^rdap_gateway_credits_charged_total 0$/m);
  expect(text).not.toMatch(/^rdap_gateway_deprecated_alias_uses_total\b/m);
});

it('counts an observation in the bucket of its upper bound and in all larger ones', async () => {
  const metrics = new Metrics();
  for (const seconds of [0.001, 0.005, 0.3, 20])
    metrics.observe('rdap_gateway_http_request_duration_seconds', ['/'], seconds);
  const { sum } = readScrape(await metrics.text());
  const upTo = (le: string) =>
    sum('rdap_gateway_http_request_duration_seconds_bucket', { route: '/', le });
  expect(['0.001', '0.0025', '0.005', '0.25', '0.5', '10', '+Inf'].map(upTo)).toEqual([
    1, 1, 2, 2, 3, 3, 4,
  ]);
  expect(sum('rdap_gateway_http_request_duration_seconds_sum')).toBe(20.306);
  expect(sum('rdap_gateway_http_request_duration_seconds_count')).toBe(4);
});

const recordsAt = async (gateway: Gateway) =>
  (await scrape(gateway)).sum('rdap_gateway_http_requests_total', { route: '/v1/rdap' });

it('counts separately for two gateways in one process', async () => {
  await using one = await startGateway();
  await using other = await startGateway();
  await one.get('/v1/rdap?domain=taken.test');
  expect([await recordsAt(one), await recordsAt(other)]).toEqual([1, 0]);
});
