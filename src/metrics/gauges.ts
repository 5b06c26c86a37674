import { performance } from 'node:perf_hooks';
import type { Clock } from '../clock.ts';
import type { Metrics } from './metrics.ts';
import type { MetricName } from './table.ts';

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
  const { clock, loadShedder, server, store, queues, bootstrap, dns, controlled } = sources;
  const values = {
    rdap_gateway_http_requests_in_flight: () => loadShedder.inFlight,
    rdap_gateway_http_requests_queued: () => loadShedder.queued,
    rdap_gateway_http_connections_open: () => server.connections,
    rdap_gateway_lookups_in_flight: () => sources.inFlight(),
    rdap_gateway_bootstrap_last_success_timestamp_seconds: () =>
      (bootstrap.confirmedAt ?? 0) / 1000,
    rdap_gateway_dns_reachable: () => Number(dns.isReachable),
    rdap_gateway_controls_failing: () => controlled.failing,
    rdap_gateway_database_up: () => Number(!sources.database?.isUnavailable),
    rdap_gateway_event_loop_active_seconds_total: () =>
      performance.eventLoopUtilization().active / 1000,
  } satisfies Partial<Record<MetricName, () => number>>;
  for (const name of keysOf(values)) metrics.registerReader(name, () => [[[], values[name]()]]);
  const hostValues = {
    rdap_gateway_registry_requests_in_flight: (host) => host.inFlight,
    rdap_gateway_registry_requests_queued: ({ queued }) => queued,
    rdap_gateway_registry_circuit_open: ({ circuitOpen }) => Number(circuitOpen),
    rdap_gateway_registry_daily_allowance_used_ratio: (host) => host.dailyAllowanceUsed,
    rdap_gateway_registry_backoff_seconds: ({ backoffUntil }) =>
      Math.max(0, (backoffUntil ?? 0) - clock.now()) / 1000,
  } satisfies Partial<Record<MetricName, (host: HostHealthValues) => number | null>>;
  for (const name of keysOf(hostValues))
    metrics.registerReader(name, () =>
      Array.from(queues.hostStatuses()).flatMap(([host, health]) => {
        const value = hostValues[name](health);
        return value === null ? [] : [[[host], value] as const];
      }),
    );
  metrics.registerReader('rdap_gateway_cache_hits_total', () => [
    [['memory'], store.hits.memory],
    [['store'], store.hits.store],
  ]);
}

function keysOf<T extends object>(table: T): readonly (keyof T)[] {
  return Object.keys(table) as (keyof T)[];
}
