import { metricsTable, type MetricRow } from '../../../metrics/table.ts';
import { html, prose, table, type Html, type Section } from './html.ts';

/** What to look at, and when to get up at night. */
export function watching(): readonly Section[] {
  return [
    { id: 'metrics', title: 'Metrics', body: metrics() },
    { id: 'alerts', title: 'What to alert on', body: alerting() },
    { id: 'log', title: 'The log, and traces', body: log },
  ];
}

function metrics(): Html {
  const all: readonly (readonly [string, MetricRow])[] = Object.entries(metricsTable);
  const tables = Array.from(
    Map.groupBy(all, ([, { section }]) => section),
    ([section, rows]) => {
      const cells = rows.map(([name, { type, labels, meaning }]) => [
        html`<code>${name}</code>`,
        html`${type}${labels.length > 0 ? html` by ${labels.map((label, index) => html`${index > 0 ? ', ' : ''}<code>${label}</code>`)}` : ''}`,
        prose(meaning),
      ]);
      return html`<h3>${section}</h3>
        ${table(`Metrics: ${section}`, ['Metric', 'What it is', 'Meaning'], cells)}`;
    },
  );
  return html`<p>
      <code>/metrics</code> is for Prometheus, for readers whose address stands in
      <code>METRICS_ALLOW</code> (this machine alone, as it comes); to anybody else the page is not
      there. Each process has its own. No label is a domain name, a key or an address. Beside these
      there are Node’s usual <code>process_</code> and <code>nodejs_</code> metrics.
    </p>
    ${tables}`;
}

/** In Prometheus’ own language; `test/http/operators-docs.test.ts` holds the names against the table above. */
const alerts: readonly (readonly [when: string, why: string])[] = [
  [
    'probe_success == 0',
    '`/ready` is not 200, as a blackbox exporter sees it, for a minute: credits cannot be counted. The reason stands in the log.',
  ],
  [
    'gateway_database_away == 1',
    'For a minute: PostgreSQL does not answer. Metered calls get 503.',
  ],
  [
    'sum(rate(gateway_requests_total{code=~"internal|unavailable|overloaded"}[5m])) > 0.1',
    'Failures of our own. `internal` is a bug, and its cause stands in the log by `request_id`.',
  ],
  [
    'sum(rate(gateway_verdicts_total{verdict="UNKNOWN"}[15m])) / sum(rate(gateway_verdicts_total[15m])) > 0.1',
    'One name in ten gets no verdict: look which host it is in `gateway_registry_questions_total`.',
  ],
  [
    'gateway_registry_broken == 1',
    'For 15 minutes: a registry is down, or has shut us out. Its names are UNKNOWN, or stale.',
  ],
  [
    'sum by (host) (rate(gateway_registry_questions_total{outcome="busy"}[1h])) > 0.1',
    'A registry keeps asking for less: lower its `rate` in `RDAP_LIMITS`.',
  ],
  [
    'rate(gateway_event_loop_busy_seconds_total[5m]) > 0.8',
    'The gateway uses almost all of its core: run another process.',
  ],
  [
    'time() - gateway_registry_list_timestamp_seconds > 7 * 86400',
    'IANA’s list could not be had for a week: new TLDs are missing. Look whether the machine reaches it.',
  ],
];

function alerting(): Html {
  const rows = alerts.map(([when, why]) => [html`<code>${when}</code>`, prose(why)]);
  return html`${table('Alerts', ['When', 'What it means'], rows)}
    <p>
      And of the machines: a disk that is 80 % full (nothing is charged and nothing served when the
      ledger cannot be written), PostgreSQL’s connections, and a backup that is older than a day.
    </p>`;
}

const log = html`<p>
    Each line of the log is one JSON object; <code>level</code>, <code>time</code> and
    <code>msg</code> stand in all, <code>requestId</code> where there was a request (it is the
    <code>X-Request-Id</code> of the answer). There are no domain names, keys or contacts in it.
    <code>LOG_LEVEL=debug</code> says more.
  </p>
  <p>
    Spans for each request, lookup and question to a registry go to the OpenTelemetry API: load an
    SDK of your own before the gateway, with
    <code>node --import</code>.
  </p>`;
