/** The gateway's own metrics, from which `/metrics` and its documentation are generated. */
export const metricsTable = {
  rdap_gateway_http_requests_total: {
    section: 'HTTP',
    type: 'counter',
    labels: ['route', 'status', 'code'],
    meaning:
      'HTTP responses. `route` is the path of an API route, `static` for pages and their files, or `unmatched` for any other path; `code` is the problem code, or `ok`.',
  },
  rdap_gateway_http_request_duration_seconds: {
    section: 'HTTP',
    type: 'histogram',
    labels: ['route'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    meaning: 'Time to first byte: from receiving a request to the start of its response.',
  },
  rdap_gateway_http_requests_in_flight: {
    section: 'HTTP',
    type: 'gauge',
    labels: [],
    meaning:
      'Requests being served, including open streams; at most 5,000, and 500 per address or key.',
  },
  rdap_gateway_http_requests_queued: {
    section: 'HTTP',
    type: 'gauge',
    labels: [],
    meaning:
      'Requests that were read and are waiting to be served; after 0.8 s they are rejected with `overloaded`.',
  },
  rdap_gateway_http_streams_open: {
    section: 'HTTP',
    type: 'gauge',
    labels: [],
    meaning: 'Streamed responses in progress: `@defer`, subscriptions, NDJSON.',
  },
  rdap_gateway_http_streams_total: {
    section: 'HTTP',
    type: 'counter',
    labels: ['route', 'outcome'],
    meaning:
      'Streamed responses that ended: `completed`, or `aborted` because the client disconnected or the gateway failed.',
  },
  rdap_gateway_http_connections_open: {
    section: 'HTTP',
    type: 'gauge',
    labels: [],
    meaning:
      'Open client connections; at most 10,000, and 1,000 per address that is not a trusted proxy.',
  },
  rdap_gateway_deprecated_alias_uses_total: {
    section: 'HTTP',
    type: 'counter',
    labels: ['route', 'alias'],
    meaning:
      'Uses of deprecated parameter names. The log lists the accounts that use them, once an hour.',
  },
  rdap_gateway_verdicts_total: {
    section: 'Verdicts and cache',
    type: 'counter',
    labels: ['verdict', 'reason', 'source'],
    meaning:
      'Names answered, by status, by problem code (`none` if there is a verdict) and by source: `registry`, `cache`, `stale` (cached, because the registry failed) or `none` (no registry could be queried).',
  },
  rdap_gateway_objects_total: {
    section: 'Verdicts and cache',
    type: 'counter',
    labels: ['type', 'result', 'source'],
    meaning:
      'Objects other than domains returned to callers. `type`: `ip`, `autnum`, `entity` or `nameserver`; `result`: `found`, `not_found` or a problem code; `source`: `cache`, `stale`, `registry`, or `none` if no registry was queried.',
  },
  rdap_gateway_site_lookups_total: {
    section: 'Verdicts and cache',
    type: 'counter',
    labels: ['lookup', 'result', 'source'],
    meaning:
      'Site lookups. `lookup`: such as `robots` or `tls`; `result`: `read` or a problem code; `source`: `cache`, or `site` if it was read now.',
  },
  rdap_gateway_cache_age_seconds: {
    section: 'Verdicts and cache',
    type: 'histogram',
    labels: [],
    buckets: [60, 300, 3600, 86_400, 604_800, 2_592_000],
    meaning: 'Age of cached answers when they are returned, one observation per name.',
  },
  rdap_gateway_cache_hits_total: {
    section: 'Verdicts and cache',
    type: 'counter',
    labels: ['tier'],
    meaning:
      'Names found in the cache, including entries that are too old to be used: in the `memory` of the process, or in the `store` (a file or PostgreSQL).',
  },
  rdap_gateway_lookups_in_flight: {
    section: 'Verdicts and cache',
    type: 'gauge',
    labels: [],
    meaning: 'Lookups in progress, including those queued for a registry.',
  },
  rdap_gateway_registry_requests_total: {
    section: 'Registries',
    type: 'counter',
    labels: ['host', 'outcome'],
    meaning:
      'Requests to a registry host, by outcome: `answered`; `rejected` (not sent: its time limit would pass in the queue, the circuit breaker is open, too many lookups of the caller failed, or its share of the day is used); `busy` (429, 503); `error` (no connection, 502, 504, or an empty 5xx response); `server_error` (any other 5xx); `timeout`; `invalid` (an inconclusive response, or a refusal). The label is `dns` for the name servers of all zones, `registrars` for all registrar hosts, and `redirected` for redirect targets that are not a registry.',
  },
  rdap_gateway_registry_unrecognized_not_found_total: {
    section: 'Registries',
    type: 'counter',
    labels: ['host'],
    meaning:
      '404 responses whose text is not recognized as "not found"; their names are UNKNOWN. The text is in `evidence.text`; report it so that it can be added.',
  },
  rdap_gateway_registry_request_duration_seconds: {
    section: 'Registries',
    type: 'histogram',
    labels: ['host'],
    buckets: [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    meaning: 'Time from sending a request to receiving its response.',
  },
  rdap_gateway_registry_requests_in_flight: {
    section: 'Registries',
    type: 'gauge',
    labels: ['host'],
    meaning: 'Requests sent to the host and not answered yet; at most `RDAP_CONCURRENCY`.',
  },
  rdap_gateway_registry_requests_queued: {
    section: 'Registries',
    type: 'gauge',
    labels: ['host'],
    meaning: 'Requests queued for the host.',
  },
  rdap_gateway_registry_backoff_seconds: {
    section: 'Registries',
    type: 'gauge',
    labels: ['host'],
    meaning:
      'Remaining time of the back-off that the host requested with `Retry-After`; 0 without a back-off.',
  },
  rdap_gateway_registry_circuit_open: {
    section: 'Registries',
    type: 'gauge',
    labels: ['host'],
    meaning: '1 while the circuit breaker of the host is open, for one caller or for all, else 0.',
  },
  rdap_gateway_registry_daily_allowance_used_ratio: {
    section: 'Registries',
    type: 'gauge',
    labels: ['host'],
    meaning:
      'Used share of the requests that the host allows in 24 hours, from this node, 0 to 1; only for hosts with a daily limit.',
  },
  rdap_gateway_bootstrap_last_success_timestamp_seconds: {
    section: 'Registries',
    type: 'gauge',
    labels: [],
    meaning:
      'Unix time of the last successful bootstrap refresh; 0 if there was none since the start.',
  },
  rdap_gateway_dns_reachable: {
    section: 'Registries',
    type: 'gauge',
    labels: [],
    meaning: '0 while no name server is reached over UDP or TCP port 53, else 1.',
  },
  rdap_gateway_controls_failing: {
    section: 'Registries',
    type: 'gauge',
    labels: [],
    meaning:
      'Number of suffixes whose "available" is not trusted, because control lookups at their availability service or WHOIS server failed. The log names them.',
  },
  rdap_gateway_credits_reserved_total: {
    section: 'Credits',
    type: 'counter',
    labels: [],
    meaning:
      'Credits reserved or charged directly. Those neither charged nor refunded are reserved now, or were when a process died.',
  },
  rdap_gateway_credits_charged_total: {
    section: 'Credits',
    type: 'counter',
    labels: [],
    meaning: 'Credits charged.',
  },
  rdap_gateway_credits_refunded_total: {
    section: 'Credits',
    type: 'counter',
    labels: [],
    meaning: 'Reserved credits that were refunded.',
  },
  rdap_gateway_database_up: {
    section: 'Process',
    type: 'gauge',
    labels: [],
    meaning: '1 while PostgreSQL responds, else 0; always 1 with another store.',
  },
  rdap_gateway_event_loop_active_seconds_total: {
    section: 'Process',
    type: 'counter',
    labels: [],
    meaning:
      'Time in which the event loop was active; its rate is the used share of a core, at most 1.',
  },
} as const satisfies Readonly<Record<string, MetricRow>>;

export interface MetricRow {
  readonly section: 'HTTP' | 'Verdicts and cache' | 'Registries' | 'Credits' | 'Process';
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly labels: readonly string[];
  /** Help text; code is in backticks. */
  readonly meaning: string;
  /** Upper bounds of a histogram, in seconds. */
  readonly buckets?: readonly number[];
}

export type MetricName = keyof typeof metricsTable;

/** Names of the metrics of one type. */
export type MetricNameOf<Type extends MetricRow['type']> = {
  [Name in MetricName]: (typeof metricsTable)[Name]['type'] extends Type ? Name : never;
}[MetricName];

/** One value per label of a metric, in the table's order. */
export type LabelValues<Name extends MetricName> = ValueForEach<
  (typeof metricsTable)[Name]['labels']
>;

type ValueForEach<Labels extends readonly string[]> = { readonly [Index in keyof Labels]: string };
