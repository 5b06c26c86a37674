import { performance } from 'node:perf_hooks';
import type { Clock } from '../clock.ts';
import type { Metrics } from './metrics.ts';
import type { MetricNameOf } from './table.ts';

/** The parts whose state is read whenever metrics are requested. */
export interface GaugeSources {
  readonly clock: Clock;
  readonly loadShedder: { readonly inFlight: number; readonly queued: number };
  readonly server: { readonly connections: number };
  /** Returns the number of lookups in flight at registries. */
  readonly inFlight: () => number;
  readonly store: { readonly hits: Readonly<Record<'memory' | 'store', number>> };
  readonly queues: { hostStatuses(): Iterable<readonly [host: string, health: HostHealthValues]> };
  readonly bootstrap: { readonly confirmedAt: number | undefined };
  readonly dns: { readonly isReachable: boolean };
  readonly controlled: { readonly failing: number };
  readonly database: { readonly isUnavailable: boolean } | undefined;
}

interface HostHealthValues {
  readonly queued: number;
  readonly inFlight: number;
  /** Epoch ms. */
  readonly backoffUntil: number | null;
  readonly circuitOpen: boolean;
  readonly dailyAllowanceUsed: number | null;
}

/** Registers the metrics that are read from the state of other parts. */
export function registerGauges(sources: GaugeSources, metrics: Metrics): void {
  const {
    clock,
    loadShedder,
    server,
    inFlight,
    store,
    queues,
    bootstrap,
    dns,
    controlled,
    database,
  } = sources;
  metrics.registerReader('rdap_gateway_http_requests_in_flight', () => [
    [[], loadShedder.inFlight],
  ]);
  metrics.registerReader('rdap_gateway_http_requests_queued', () => [[[], loadShedder.queued]]);
  metrics.registerReader('rdap_gateway_http_connections_open', () => [[[], server.connections]]);
  metrics.registerReader('rdap_gateway_lookups_in_flight', () => [[[], inFlight()]]);
  metrics.registerReader('rdap_gateway_cache_hits_total', () => [
    [['memory'], store.hits.memory],
    [['store'], store.hits.store],
  ]);
  metrics.registerReader('rdap_gateway_bootstrap_last_success_timestamp_seconds', () => [
    [[], (bootstrap.confirmedAt ?? 0) / 1000],
  ]);
  metrics.registerReader('rdap_gateway_dns_reachable', () => [[[], Number(dns.isReachable)]]);
  metrics.registerReader('rdap_gateway_controls_failing', () => [[[], controlled.failing]]);
  metrics.registerReader('rdap_gateway_database_up', () => [
    [[], Number(!database?.isUnavailable)],
  ]);
  metrics.registerReader('rdap_gateway_event_loop_active_seconds_total', () => [
    [[], performance.eventLoopUtilization().active / 1000],
  ]);
  const registerHostGauge = (
    name: HostGauge,
    valueOf: (health: HostHealthValues) => number | null,
  ) =>
    metrics.registerReader(name, () =>
      Array.from(queues.hostStatuses()).flatMap(([host, health]) => {
        const value = valueOf(health);
        return value === null ? [] : [[[host], value] as const];
      }),
    );
  registerHostGauge('rdap_gateway_registry_requests_in_flight', (host) => host.inFlight);
  registerHostGauge('rdap_gateway_registry_requests_queued', ({ queued }) => queued);
  registerHostGauge('rdap_gateway_registry_circuit_open', ({ circuitOpen }) => Number(circuitOpen));
  registerHostGauge(
    'rdap_gateway_registry_daily_allowance_used_ratio',
    ({ dailyAllowanceUsed }) => dailyAllowanceUsed,
  );
  registerHostGauge(
    'rdap_gateway_registry_backoff_seconds',
    ({ backoffUntil }) => Math.max(0, (backoffUntil ?? 0) - clock.now()) / 1000,
  );
}

type HostGauge = Extract<MetricNameOf<'gauge'>, `rdap_gateway_registry_${string}`>;
