import { performance } from 'node:perf_hooks';
import type { Clock } from '../clock.ts';
import type { Metrics } from './metrics.ts';

/** Who keeps figures that are read when somebody wants to know. */
export interface GaugeSources {
  readonly clock: Clock;
  readonly loadShedder: { readonly inFlight: number; readonly queued: number };
  readonly server: { readonly connections: number };
  readonly singleFlight: { readonly size: number };
  readonly store: { readonly hits: Readonly<Record<'memory' | 'store', number>> };
  readonly queues: { hostStatuses(): Iterable<readonly [host: string, health: HostHealthValues]> };
  readonly bootstrap: { readonly confirmedAt: number | undefined };
  readonly database: { readonly isUnavailable: boolean } | undefined;
}

interface HostHealthValues {
  readonly queued: number;
  readonly inFlight: number;
  /** Epoch ms. */
  readonly backoffUntil: number | null;
  readonly circuitOpen: boolean;
}

/** Has the gauges read by whoever knows. */
export function registerGauges(sources: GaugeSources, metrics: Metrics): void {
  const { clock, loadShedder, server, singleFlight, store, queues, bootstrap, database } = sources;
  metrics.registerReader('gateway_requests_in_flight', () => [[[], loadShedder.inFlight]]);
  metrics.registerReader('gateway_requests_queued', () => [[[], loadShedder.queued]]);
  metrics.registerReader('gateway_connections_open', () => [[[], server.connections]]);
  metrics.registerReader('gateway_flights', () => [[[], singleFlight.size]]);
  metrics.registerReader('gateway_cache_found_total', () => [
    [['memory'], store.hits.memory],
    [['store'], store.hits.store],
  ]);
  metrics.registerReader('gateway_registry_list_timestamp_seconds', () => [
    [[], (bootstrap.confirmedAt ?? 0) / 1000],
  ]);
  metrics.registerReader('gateway_database_away', () => [
    [[], Number(database?.isUnavailable ?? false)],
  ]);
  metrics.registerReader('gateway_event_loop_busy_seconds_total', () => [
    [[], performance.eventLoopUtilization().active / 1000],
  ]);
  const registerHostGauge = (name: HostGauge, valueOf: (health: HostHealthValues) => number) =>
    metrics.registerReader(name, () =>
      Array.from(queues.hostStatuses(), ([host, health]) => [[host], valueOf(health)] as const),
    );
  registerHostGauge('gateway_registry_in_flight', ({ inFlight }) => inFlight);
  registerHostGauge('gateway_registry_queued', ({ queued }) => queued);
  registerHostGauge('gateway_registry_broken', ({ circuitOpen }) => Number(circuitOpen));
  registerHostGauge(
    'gateway_registry_closed_seconds',
    ({ backoffUntil }) => Math.max(0, (backoffUntil ?? 0) - clock.now()) / 1000,
  );
}

type HostGauge = `gateway_registry_${'in_flight' | 'queued' | 'broken' | 'closed_seconds'}`;
