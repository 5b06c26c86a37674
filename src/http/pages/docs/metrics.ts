import { metricsTable, type MetricRow } from '../../../metrics/table.ts';
import { html, prose, sections, table, type Html, type Section } from './html.ts';
import type { Page } from './page.ts';

/** Renders the reference of the gateway's own metrics. */
export function metricsPage(): Page {
  const all: readonly (readonly [string, MetricRow])[] = Object.entries(metricsTable);
  const parts = Array.from(
    Map.groupBy(all, ([, { section }]) => section),
    ([section, rows]): Section => ({
      id: section.toLowerCase().replaceAll(/\W+/g, '-'),
      title: section,
      body: table(section, ['Metric', 'Type and labels', 'Meaning'], rows.map(metricRow)),
    }),
  );
  return {
    name: 'metrics',
    title: 'Metrics',
    description: 'The Prometheus metrics of the gateway, with their labels and meaning.',
    body: html`${introduction}${sections(parts)}`,
    sections: parts,
  };
}

const introduction = html`<p>
  <code>/metrics</code> serves these metrics in Prometheus text format, with the
  <code>process_</code> and <code>nodejs_</code> metrics of Node.js. Each process has its own. No
  label contains a domain name, a key, an account or a client address. See
  <a href="../docs/operations#monitoring">Operations</a> for access, alerts and the dashboard.
</p> `;

function metricRow([name, { type, labels, meaning }]: readonly [
  string,
  MetricRow,
]): readonly Html[] {
  const list = labels.map((label, index) => html`${index > 0 ? ', ' : ''}<code>${label}</code>`);
  return [
    html`<code>${name}</code>`,
    html`${type}${labels.length > 0 ? html` by ${list}` : ''}`,
    prose(meaning),
  ];
}
