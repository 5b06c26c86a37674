import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { metricDescriptions, metricsTable } from '../../src/metrics/table.ts';
import type { Json } from '../support/gateways/gateway.ts';
import { manualClock } from '../support/time/manual-clock.ts';
import { startMeteredGateway, type MeteredGateway } from '../support/gateways/metered-gateway.ts';
import { notFound, registered, status } from '../support/bodies/replies.ts';
import { scrape, scrapeUntil, type Scrape } from '../support/checks/scrape.ts';
import { subscribe } from '../support/requests/subscription.ts';

const file = join(import.meta.dirname, '../../ops/grafana-dashboard.json');
const dashboard: Json = JSON.parse(readFileSync(file, 'utf8'));
const panels: readonly Json[] = dashboard.panels;
const queries: readonly string[] = panels.flatMap(({ targets = [] }) =>
  targets.map(({ expr }: Json) => expr),
);

let metered: MeteredGateway;
let scraped: Scrape;

/** Starts a gateway and triggers a sample of every metric. */
beforeAll(async () => {
  const clock = manualClock(); // measures no event loop delay
  metered = await startMeteredGateway({ clock, perDay: 1000 });
  const { gateway, registry } = metered;
  registry.on('taken.example', registered('taken.example'));
  registry.on('down.example', status(500));
  registry.on('odd.example', notFound('Down for maintenance.'));
  registry.on('busy.example', status(429, { 'retry-after': '60' }));
  const customer = await metered.newCustomer();
  for (const name of ['free', 'free', 'taken', 'down', 'odd', 'busy'])
    await customer.fetch(`/v1/status?domain=${name}.example&skip_cache=0`);
  await customer.graphql('{ domain(name: "free.example") { available } }');
  await customer.graphql('{ ip(address: "192.0.2.53") { found } }');
  await customer.graphql('{ site(host: "taken.test") { forSale { forSale } } }');
  await using stream = await subscribe(
    { ...gateway, fetch: customer.fetch },
    'domains: ["free.example"]',
  );
  await stream.rest();
  await customer.fetch('/v1/status?domain=a.no-such-tld');
  scraped = await scrapeUntil(gateway, ({ sum }) => sum('rdap_gateway_http_streams_total') > 0);
});
afterAll(() => metered[Symbol.asyncDispose]());

/**
 * Returns the metric of a series: `x_bucket`, `x_sum` and `x_count` belong to the histogram `x`.
 */
const familyOf = (name: string) =>
  scraped.types.has(name) ? name : name.replace(/_(?:bucket|sum|count)$/, '');
const namesIn = (query: string) =>
  [...query.matchAll(/\b(?:rdap_gateway|rdap_accuracy|process|nodejs)_\w+/g)].map(([name]) => name);
const ownNames = Object.keys(metricsTable);

describe('the Grafana dashboard', () => {
  it.each(queries)('queries existing metrics: %s', (query) => {
    const names = namesIn(query);
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !scraped.types.has(familyOf(name)))).toEqual([]);
    const byHistogram = names
      .filter((name) => name.endsWith('_bucket'))
      .map((name) => scraped.types.get(familyOf(name)));
    expect(byHistogram.filter((type) => type !== 'histogram')).toEqual([]);
  });

  it.each(queries)('uses existing labels: %s', (query) => {
    const grouped = [...query.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = '']) =>
      list.split(', '),
    );
    const matched = [...query.matchAll(/(\w+)(?:=~|!=|=)"/g)].map(([, label = '']) => label);
    const available = namesIn(query).flatMap(
      (name) =>
        Object.entries(metricsTable).find(([own]) => own === familyOf(name))?.[1].labels ?? [],
    );
    expect(
      [...grouped, ...matched].filter(
        (label) => !['job', 'instance', 'le', ...available].includes(label),
      ),
    ).toEqual([]);
  });

  it('excludes only label values that exist', () => {
    const excluded = queries.flatMap((query) => [
      ...query.matchAll(/(\w+)\{[^}]*\b(\w+)!="([^"]+)"/g),
    ]);
    expect(excluded.length).toBeGreaterThan(0);
    for (const [, name = '', label = '', value] of excluded)
      expect(scraped.values(name, label)).toContain(value);
  });

  it('shows every metric of the gateway', () => {
    const shown = new Set(queries.flatMap(namesIn).map(familyOf));
    expect(ownNames.filter((name) => !shown.has(name))).toEqual([]);
  });

  it('has a row per section, unique panel ids, and no overlapping panels', () => {
    const sections = new Set(Object.values(metricDescriptions).map(({ section }) => section));
    expect(panels.filter(({ type }) => type === 'row').map(({ title }) => title)).toEqual([
      ...sections,
    ]);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const positions = panels.map(({ gridPos: { x, y } }) => `${x} ${y}`);
    expect(new Set(positions).size).toBe(positions.length);
  });

  it('takes data source, job and instance from variables', () => {
    expect(dashboard.templating.list.map(({ name }: Json) => name)).toEqual([
      'datasource',
      'job',
      'instance',
    ]);
    const sources = new Set(
      panels.flatMap(({ targets = [] }) => targets.map(({ datasource }: Json) => datasource.uid)),
    );
    expect([...sources]).toEqual(['${datasource}']);
    expect(
      queries.filter(
        (query) => query.includes('{') && !query.includes('{job=~"$job", instance=~"$instance"'),
      ),
    ).toEqual([]);
  });
});

describe('the table of metrics', () => {
  it('lists exactly the exported metrics with their types', () => {
    const own = [...scraped.types].filter(([name]) => name.startsWith('rdap_'));
    const inTable = Object.entries(metricsTable).map(([name, { type }]) => [name, type]);
    expect(own.toSorted()).toEqual(inTable.toSorted());
  });

  it.each(Object.entries(metricsTable))(
    'states the labels and the help text of %s',
    (name, { type, labels }) => {
      const { meaning } = metricDescriptions[name as keyof typeof metricsTable];
      const sample = type === 'histogram' ? `${name}_count` : name;
      expect(scraped.text).toContain(`# HELP ${name} ${meaning}\n`);
      // Those of the sample have a row after an hour: `watches/accuracy.test.ts` reads them.
      if (!name.startsWith('rdap_accuracy_'))
        expect(scraped.text).toMatch(new RegExp(`^${sample}[ {]`, 'm'));
      for (const label of labels) expect(scraped.values(sample, label)).not.toContain('');
    },
  );

  it.each(Object.entries(metricsTable))(
    'names %s according to Prometheus conventions',
    (name, { type }) => {
      expect(name.endsWith('_total')).toBe(type === 'counter');
      expect(name).not.toMatch(/_(?:ms|milliseconds|bucket|sum|count)$/);
      if (type === 'histogram') expect(name).toMatch(/_seconds$/);
    },
  );

  it('adds no series for further names or callers', async () => {
    const { gateway } = metered;
    const series = async () =>
      (await scrape(gateway)).text.match(/^rdap_gateway_\S*?(?:\{.*\})?(?= )/gm) ?? [];
    const customers = await Promise.all(Array.from({ length: 5 }, () => metered.newCustomer()));
    const lookUp = (round: string) =>
      Promise.all(
        customers.map((customer, index) =>
          customer.fetch(`/v1/status?domain=${round}${index}.tld1&skip_cache=1`),
        ),
      );
    await lookUp('first');
    const before = await series();
    expect(before.length).toBeGreaterThan(50);
    for (const round of ['second', 'third']) await lookUp(round);
    expect(await series()).toEqual(before);
  });
});
