import { performance } from 'node:perf_hooks';
import type { Clock } from '../clock.ts';
import { History } from './history.ts';
import type { Metrics } from './metrics.ts';
import type { MetricName } from './table.ts';

type Sink = Pick<Metrics, 'count' | 'observe' | 'registerReader'>;

interface CountedOutcome {
  /** Undefined if it could not be looked up; null if there is nothing. */
  readonly data: unknown;
  readonly problem: { readonly code: string } | undefined;
  readonly cached: boolean;
  readonly stale: boolean;
  readonly checkedAt: number | undefined;
  /** Null if no registry was queried. */
  readonly evidence: object | null;
}

/** Receives the reports of other parts, each through its own interface. */
export type Instruments = ReturnType<typeof instrument>;

/** Returns the functions through which other parts report to `metrics`. */
export function instrument(metrics: Sink, clock: Clock) {
  const answers = new AnswerCounts();
  const history = new History(clock);

  return {
    answers,
    history,
    requests: requestInstruments(metrics, history),
    hostRequests: hostRequestInstruments(metrics),
    unrecognizedNotFound: (host: string) =>
      metrics.count('rdap_gateway_registry_unrecognized_not_found_total', [host]),
    aliasUsed: (route: string, alias: string) =>
      metrics.count('rdap_gateway_deprecated_alias_uses_total', [route, alias]),
    credits: {
      reserved: (credits: number) =>
        metrics.count('rdap_gateway_credits_reserved_total', [], credits),
      charged(credits: number) {
        metrics.count('rdap_gateway_credits_charged_total', [], credits);
        history.add({ credits });
      },
      refunded: (credits: number) =>
        metrics.count('rdap_gateway_credits_refunded_total', [], credits),
    },
    change: (type: string, by = 1) => metrics.count('rdap_gateway_watch_changes_total', [type], by),
    webhookDelivery: (result: string, by = 1) =>
      metrics.count('rdap_gateway_webhook_deliveries_total', [result], by),
    object(type: string, outcome: CountedOutcome) {
      const result = outcome.data === null ? 'not_found' : 'found';
      metrics.count('rdap_gateway_objects_total', [
        type,
        outcome.problem?.code ?? result,
        sourceOf(outcome),
      ]);
    },
    site(lookup: string, { problem, cached }: Pick<CountedOutcome, 'problem' | 'cached'>) {
      const source = cached ? 'cache' : 'site';
      metrics.count('rdap_gateway_site_lookups_total', [lookup, problem?.code ?? 'read', source]);
    },
    outcome(status: string, outcome: CountedOutcome, suffix?: string) {
      const { problem, cached, checkedAt } = outcome;
      metrics.count('rdap_gateway_verdicts_total', [
        status,
        problem?.code ?? 'none',
        sourceOf(outcome),
      ]);

      if (cached && checkedAt !== undefined)
        metrics.observe('rdap_gateway_cache_age_seconds', [], (clock.now() - checkedAt) / 1000);

      const reason = status === 'UNKNOWN' ? problem?.code : undefined;
      if (suffix !== undefined) answers.record(suffix, reason ?? 'verdict');
      history.add({ answers: 1, ...(reason !== undefined && { [reason]: 1 }) });
    },
  };
}

function requestInstruments(metrics: Sink, history: History) {
  let streamsOpen = 0;
  metrics.registerReader('rdap_gateway_http_streams_open', () => [[[], streamsOpen]]);

  return {
    answered(route: string, status: number, code: string, ms?: number) {
      metrics.count('rdap_gateway_http_requests_total', [route, String(status), code]);
      if (ms !== undefined)
        metrics.observe('rdap_gateway_http_request_duration_seconds', [route], ms / 1000);
      history.add({ requests: 1, ...(ms !== undefined && { timed: 1, ms }) });
    },
    streamOpened: () => void (streamsOpen += 1),
    streamEnded(route: string, outcome: 'completed' | 'aborted') {
      streamsOpen -= 1;
      metrics.count('rdap_gateway_http_streams_total', [route, outcome]);
    },
  };
}

function hostRequestInstruments(metrics: Sink) {
  return {
    recordRejected: (host: string) =>
      metrics.count('rdap_gateway_registry_requests_total', [host, 'rejected']),
    recordCompleted(host: string, outcome: string, ms: number) {
      metrics.count('rdap_gateway_registry_requests_total', [host, outcome]);
      metrics.observe('rdap_gateway_registry_request_duration_seconds', [host], ms / 1000);
    },
  };
}

function sourceOf({ cached, stale, evidence }: CountedOutcome): string {
  if (cached) return stale ? 'stale' : 'cache';
  return evidence ? 'registry' : 'none';
}

/** The parts whose state is read whenever metrics are requested. */
interface GaugeSources {
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
  readonly watchNumbers: () => Promise<WatchNumbers>;
  readonly accuracy: { readonly rows: readonly AccuracyNumbers[] };
}

/** How many AVAILABLE answers under a TLD were judged again, and how many of them were wrong. */
interface AccuracyNumbers {
  readonly tld: string;
  readonly sampled: number;
  readonly contradicted: number;
  /** The upper end of the 95 % interval of the share of wrong ones. */
  readonly upper: number;
}

/** What is watched, on all nodes together. */
export interface WatchNumbers {
  readonly watches: number;
  readonly names: number;
  /** Names that are to be looked at now, and how long the first of them has been waiting. */
  readonly due: number;
  readonly lagMs: number;
  readonly changesOfLastDay: number;
  readonly webhooks: { readonly ok: number; readonly failing: number; readonly disabled: number };
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

  const watchValues = {
    rdap_gateway_watches: ({ watches }) => watches,
    rdap_gateway_watched_names: ({ names }) => names,
    rdap_gateway_watch_looks_due: ({ due }) => due,
    rdap_gateway_watch_lag_seconds: ({ lagMs }) => lagMs / 1000,
  } satisfies Partial<Record<MetricName, (numbers: WatchNumbers) => number>>;
  for (const name of keysOf(watchValues))
    metrics.registerReader(name, async () => [
      [[], watchValues[name](await sources.watchNumbers())],
    ]);

  metrics.registerReader('rdap_gateway_webhooks', async () =>
    Object.entries((await sources.watchNumbers()).webhooks).map(
      ([state, count]) => [[state], count] as const,
    ),
  );

  const accuracyValues = {
    rdap_accuracy_sampled_total: ({ sampled }) => sampled,
    rdap_accuracy_contradicted_total: ({ contradicted }) => contradicted,
    rdap_accuracy_upper_bound_ratio: ({ upper }) => upper,
  } satisfies Partial<Record<MetricName, (row: AccuracyNumbers) => number>>;
  for (const name of keysOf(accuracyValues))
    metrics.registerReader(name, () =>
      sources.accuracy.rows.map((row) => [[row.tld], accuracyValues[name](row)] as const),
    );

  metrics.registerReader('rdap_gateway_cache_hits_total', () => [
    [['memory'], store.hits.memory],
    [['store'], store.hits.store],
  ]);
}

function keysOf<T extends object>(table: T): readonly (keyof T)[] {
  return Object.keys(table) as (keyof T)[];
}

/** Far more than there are TLDs: the number of counters is bounded, whatever names are looked up. */
const maxTlds = 5000;

/** Counts answers by TLD. Metrics do not have this label, because there are 1,500 TLDs. */
export class AnswerCounts {
  /** By TLD, and for `All` but the sandbox: how many had a `verdict`, and how many had none, by reason. */
  readonly byTld = new Map<string, Record<string, number>>();

  /** Counts the answer about a name under a suffix: a `verdict`, or the reason why it has none. */
  record(suffix: string, outcome: string): void {
    const tld = suffix.slice(suffix.lastIndexOf('.') + 1);
    for (const key of tld === 'test' ? [tld] : ['All', tld]) {
      const counts = this.byTld.get(key) ?? {};
      counts[outcome] = (counts[outcome] ?? 0) + 1;
      if (this.byTld.size < maxTlds) this.byTld.set(key, counts);
    }
  }
}
