/** What an operator can read of the gateway: every metric of its own. `/metrics` and its documentation are made from this table. */
export const metricsTable = {
  gateway_requests_total: {
    section: 'Doors',
    type: 'counter',
    labels: ['door', 'status', 'code'],
    meaning:
      'Requests answered. `door` is the path, `pages` for pages and their files, `none` for a path that is none; `code` is the problem code, or `ok`.',
  },
  gateway_request_duration_seconds: {
    section: 'Doors',
    type: 'histogram',
    labels: ['door'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    meaning: 'From a request to the beginning of its answer.',
  },
  gateway_requests_in_flight: {
    section: 'Doors',
    type: 'gauge',
    labels: [],
    meaning:
      'Requests that are being served, streams too; 5,000 at most, and 500 of one address or key.',
  },
  gateway_requests_queued: {
    section: 'Doors',
    type: 'gauge',
    labels: [],
    meaning:
      'Requests that have been read and wait to be served; after 0.8 s they are rejected with `overloaded`.',
  },
  gateway_streams_open: {
    section: 'Doors',
    type: 'gauge',
    labels: [],
    meaning: 'Answers that come bit by bit and have not ended: `@defer`, subscriptions, NDJSON.',
  },
  gateway_streams_total: {
    section: 'Doors',
    type: 'counter',
    labels: ['door', 'end'],
    meaning: 'Streams that ended: `whole`, or `cut` because the client left or the gateway failed.',
  },
  gateway_connections_open: {
    section: 'Doors',
    type: 'gauge',
    labels: [],
    meaning:
      'Connections of clients; 10,000 at most, and 1,000 of one address that is no trusted proxy.',
  },
  gateway_deprecated_aliases_total: {
    section: 'Doors',
    type: 'counter',
    labels: ['path', 'alias'],
    meaning: 'Uses of old parameter names. Who uses them stands in the log, once an hour.',
  },
  gateway_verdicts_total: {
    section: 'Verdicts and cache',
    type: 'counter',
    labels: ['verdict', 'reason', 'source'],
    meaning:
      'Names answered, by status, by the problem code where there is no verdict (else `none`), and by where it comes from: `registry`, `cache`, `stale` (from the cache, as the registry failed) or `nobody` (who could be asked).',
  },
  gateway_cached_answers_total: {
    section: 'Verdicts and cache',
    type: 'counter',
    labels: ['age'],
    meaning:
      'Names answered from the cache, by how old the answer was at most: `1m`, `5m`, `1h`, `1d`, `7d`, `30d`.',
  },
  gateway_cache_found_total: {
    section: 'Verdicts and cache',
    type: 'counter',
    labels: ['layer'],
    meaning:
      'Names found in the cache, fresh enough or not: in the `memory` of a process, or in the `store`, a file or PostgreSQL.',
  },
  gateway_flights: {
    section: 'Verdicts and cache',
    type: 'gauge',
    labels: [],
    meaning: 'Names that registries are being asked for, or wait for their turn.',
  },
  gateway_registry_questions_total: {
    section: 'Registries',
    type: 'counter',
    labels: ['host', 'outcome'],
    meaning:
      'What became of questions to a registry host: `answered`; `unsent` (it could not be sent in time, the host does not respond, or too many lookups of the caller failed); `busy` (429, 503), `down` (no connection, 502, 504), `server_error` (another 5xx status), `timeout`, `unusable` (an answer that proves nothing, or a refusal). All hosts of registrars are `registrars`, and those that a redirect leads to, and no registry, `redirected`.',
  },
  gateway_registry_unrecognized_not_found_total: {
    section: 'Registries',
    type: 'counter',
    labels: ['host'],
    meaning:
      '404 responses whose text is not recognized as "not found", which are answered UNKNOWN. `evidence.text` has the text; report it so that it can be added.',
  },
  gateway_registry_exchange_duration_seconds: {
    section: 'Registries',
    type: 'histogram',
    labels: ['host'],
    buckets: [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    meaning: 'From the sending of a question to its answer.',
  },
  gateway_registry_in_flight: {
    section: 'Registries',
    type: 'gauge',
    labels: ['host'],
    meaning: 'Questions that the host has not answered yet; `RDAP_CONCURRENCY` at most.',
  },
  gateway_registry_queued: {
    section: 'Registries',
    type: 'gauge',
    labels: ['host'],
    meaning: 'Questions that wait for their turn.',
  },
  gateway_registry_closed_seconds: {
    section: 'Registries',
    type: 'gauge',
    labels: ['host'],
    meaning: 'For how long the host has asked to be left alone; 0 when it has not.',
  },
  gateway_registry_broken: {
    section: 'Registries',
    type: 'gauge',
    labels: ['host'],
    meaning: '1 while the circuit breaker of the host is open, for one caller or for all, else 0.',
  },
  gateway_registry_list_timestamp_seconds: {
    section: 'Registries',
    type: 'gauge',
    labels: [],
    meaning:
      "When the list of registries (IANA's) was last found to be the newest, since the epoch; 0 when it never was since the start.",
  },
  gateway_credits_reserved_total: {
    section: 'Credits',
    type: 'counter',
    labels: [],
    meaning:
      'Credits set aside for work, or charged at once. What is neither charged nor refunded is set aside now, or was when a process died.',
  },
  gateway_credits_charged_total: {
    section: 'Credits',
    type: 'counter',
    labels: [],
    meaning: 'Credits charged.',
  },
  gateway_credits_refunded_total: {
    section: 'Credits',
    type: 'counter',
    labels: [],
    meaning: 'Credits set aside and given back.',
  },
  gateway_database_away: {
    section: 'Process',
    type: 'gauge',
    labels: [],
    meaning: '1 while PostgreSQL does not answer, else 0; always 0 with another store.',
  },
  gateway_event_loop_busy_seconds_total: {
    section: 'Process',
    type: 'counter',
    labels: [],
    meaning:
      'Time in which the event loop worked; its rate is the share of a core that is used, 1 at most.',
  },
} as const satisfies Readonly<Record<string, MetricRow>>;

export interface MetricRow {
  readonly section: 'Doors' | 'Verdicts and cache' | 'Registries' | 'Credits' | 'Process';
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly labels: readonly string[];
  /** With backticks around code. */
  readonly meaning: string;
  /** The upper bounds of a histogram, in seconds. */
  readonly buckets?: readonly number[];
}

export type MetricName = keyof typeof metricsTable;

/** The metrics of one type. */
export type MetricNameOf<Type extends MetricRow['type']> = {
  [Name in MetricName]: (typeof metricsTable)[Name]['type'] extends Type ? Name : never;
}[MetricName];

/** A value for each label of a metric, in the table's order. */
export type LabelValues<Name extends MetricName> = ValueForEach<
  (typeof metricsTable)[Name]['labels']
>;

type ValueForEach<Labels extends readonly string[]> = { readonly [Index in keyof Labels]: string };
