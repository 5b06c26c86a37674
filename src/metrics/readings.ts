import { performance } from 'node:perf_hooks';
import type { Clock } from '../clock.ts';
import type { Metrics } from './metrics.ts';

/** Who keeps figures that are read when somebody wants to know. */
export interface Sources {
  readonly clock: Clock;
  readonly admission: { readonly inFlight: number; readonly queued: number };
  readonly server: { readonly connections: number };
  readonly singleFlight: { readonly size: number };
  readonly store: { readonly found: Readonly<Record<'memory' | 'store', number>> };
  readonly queues: { health(): Iterable<readonly [host: string, health: Health]> };
  readonly bootstrap: { readonly confirmedAt: number | undefined };
  readonly database: { readonly away: boolean } | undefined;
}

interface Health {
  readonly queued: number;
  readonly inFlight: number;
  /** Epoch ms. */
  readonly closedUntil: number | null;
  readonly broken: boolean;
}

/** Has the gauges read by whoever knows. */
export function readFrom(sources: Sources, metrics: Metrics): void {
  const { clock, admission, server, singleFlight, store, queues, bootstrap, database } = sources;
  metrics.read('gateway_requests_in_flight', () => [[[], admission.inFlight]]);
  metrics.read('gateway_requests_queued', () => [[[], admission.queued]]);
  metrics.read('gateway_connections_open', () => [[[], server.connections]]);
  metrics.read('gateway_flights', () => [[[], singleFlight.size]]);
  metrics.read('gateway_cache_found_total', () => [
    [['memory'], store.found.memory],
    [['store'], store.found.store],
  ]);
  metrics.read('gateway_registry_list_timestamp_seconds', () => [
    [[], (bootstrap.confirmedAt ?? 0) / 1000],
  ]);
  metrics.read('gateway_database_away', () => [[[], Number(database?.away ?? false)]]);
  metrics.read('gateway_event_loop_busy_seconds_total', () => [
    [[], performance.eventLoopUtilization().active / 1000],
  ]);
  const ofHosts = (name: HostGauge, figure: (health: Health) => number) =>
    metrics.read(name, () =>
      Array.from(queues.health(), ([host, health]) => [[host], figure(health)] as const),
    );
  ofHosts('gateway_registry_in_flight', ({ inFlight }) => inFlight);
  ofHosts('gateway_registry_queued', ({ queued }) => queued);
  ofHosts('gateway_registry_broken', ({ broken }) => Number(broken));
  ofHosts(
    'gateway_registry_closed_seconds',
    ({ closedUntil }) => Math.max(0, (closedUntil ?? 0) - clock.now()) / 1000,
  );
}

type HostGauge = `gateway_registry_${'in_flight' | 'queued' | 'broken' | 'closed_seconds'}`;
