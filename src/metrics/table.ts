import descriptions from './descriptions.json' with { type: 'json' };

/** The gateway's own metrics, from which `/metrics` and its documentation are generated. */
export const metricsTable = {
  rdap_gateway_http_requests_total: { type: 'counter', labels: ['route', 'status', 'code'] },
  rdap_gateway_http_request_duration_seconds: {
    type: 'histogram',
    labels: ['route'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  },
  rdap_gateway_http_requests_in_flight: { type: 'gauge', labels: [] },
  rdap_gateway_http_requests_queued: { type: 'gauge', labels: [] },
  rdap_gateway_http_streams_open: { type: 'gauge', labels: [] },
  rdap_gateway_http_streams_total: { type: 'counter', labels: ['route', 'outcome'] },
  rdap_gateway_http_connections_open: { type: 'gauge', labels: [] },
  rdap_gateway_deprecated_alias_uses_total: { type: 'counter', labels: ['route', 'alias'] },
  rdap_gateway_verdicts_total: { type: 'counter', labels: ['verdict', 'reason', 'source'] },
  rdap_gateway_objects_total: { type: 'counter', labels: ['type', 'result', 'source'] },
  rdap_gateway_site_lookups_total: { type: 'counter', labels: ['lookup', 'result', 'source'] },
  rdap_gateway_cache_age_seconds: {
    type: 'histogram',
    labels: [],
    buckets: [60, 300, 3600, 86_400, 604_800, 2_592_000],
  },
  rdap_gateway_cache_hits_total: { type: 'counter', labels: ['tier'] },
  rdap_gateway_lookups_in_flight: { type: 'gauge', labels: [] },
  rdap_gateway_registry_requests_total: { type: 'counter', labels: ['host', 'outcome'] },
  rdap_gateway_registry_unrecognized_not_found_total: { type: 'counter', labels: ['host'] },
  rdap_gateway_registry_request_duration_seconds: {
    type: 'histogram',
    labels: ['host'],
    buckets: [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  },
  rdap_gateway_registry_requests_in_flight: { type: 'gauge', labels: ['host'] },
  rdap_gateway_registry_requests_queued: { type: 'gauge', labels: ['host'] },
  rdap_gateway_registry_backoff_seconds: { type: 'gauge', labels: ['host'] },
  rdap_gateway_registry_circuit_open: { type: 'gauge', labels: ['host'] },
  rdap_gateway_registry_daily_allowance_used_ratio: { type: 'gauge', labels: ['host'] },
  rdap_gateway_bootstrap_last_success_timestamp_seconds: { type: 'gauge', labels: [] },
  rdap_gateway_dns_reachable: { type: 'gauge', labels: [] },
  rdap_gateway_controls_failing: { type: 'gauge', labels: [] },
  rdap_gateway_credits_reserved_total: { type: 'counter', labels: [] },
  rdap_gateway_credits_charged_total: { type: 'counter', labels: [] },
  rdap_gateway_credits_refunded_total: { type: 'counter', labels: [] },
  rdap_gateway_watch_changes_total: { type: 'counter', labels: ['type'] },
  rdap_gateway_watches: { type: 'gauge', labels: [] },
  rdap_gateway_watched_names: { type: 'gauge', labels: [] },
  rdap_gateway_watch_looks_due: { type: 'gauge', labels: [] },
  rdap_gateway_watch_lag_seconds: { type: 'gauge', labels: [] },
  rdap_gateway_webhooks: { type: 'gauge', labels: ['state'] },
  rdap_gateway_webhook_deliveries_total: { type: 'counter', labels: ['result'] },
  rdap_accuracy_sampled_total: { type: 'counter', labels: ['tld'] },
  rdap_accuracy_contradicted_total: { type: 'counter', labels: ['tld'] },
  rdap_accuracy_upper_bound_ratio: { type: 'gauge', labels: ['tld'] },
  rdap_gateway_database_up: { type: 'gauge', labels: [] },
  rdap_gateway_event_loop_active_seconds_total: { type: 'counter', labels: [] },
} as const satisfies Readonly<Record<string, MetricRow>>;

export interface MetricRow {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly labels: readonly string[];
  /** Upper bounds of a histogram, in seconds. */
  readonly buckets?: readonly number[];
}

export type MetricName = keyof typeof metricsTable;

/** The section of each metric in its documentation, and its help text; code is in backticks. */
export const metricDescriptions: Readonly<
  Record<MetricName, { readonly section: string; readonly meaning: string }>
> = descriptions;

export type MetricNameOf<Type extends MetricRow['type']> = {
  [Name in MetricName]: (typeof metricsTable)[Name]['type'] extends Type ? Name : never;
}[MetricName];

/** One value per label of a metric, in the table's order. */
export type LabelValues<Name extends MetricName> = ValueForEach<
  (typeof metricsTable)[Name]['labels']
>;

type ValueForEach<Labels extends readonly string[]> = { readonly [Index in keyof Labels]: string };
