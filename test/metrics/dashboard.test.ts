import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { metricsTable } from '../../src/metrics/table.ts';
import type { Json } from '../support/gateway.ts';
import { manualClock } from '../support/manual-clock.ts';
import { startMeteredGateway, type MeteredGateway } from '../support/metered-gateway.ts';
import { notFound, registered, status } from '../support/replies.ts';
import { scrape, scrapeUntil, type Scrape } from '../support/scrape.ts';
import { subscribe } from '../support/subscription.ts';

const file = join(import.meta.dirname, '../../ops/grafana-dashboard.json');
const dashboard: Json = JSON.parse(readFileSync(file, 'utf8'));
const panels: readonly Json[] = dashboard.panels;
const queries: readonly string[] = panels.flatMap(({ targets = [] }) =>
  targets.map(({ expr }: Json) => expr),
);

let metered: MeteredGateway;
let scraped: Scrape;

/** A gateway at which everything has happened once. */
beforeAll(async () => {
  metered = await startMeteredGateway({ clock: manualClock() }); // by which no turn of the event loop is long
  const { gateway, registry } = metered;
  registry.on('taken.example', registered('taken.example'));
  registry.on('down.example', status(500));
  registry.on('odd.example', notFound('Down for maintenance.'));
  registry.on('busy.example', status(429, { 'retry-after': '60' }));
  const customer = await metered.newCustomer();
  for (const name of ['free', 'free', 'taken', 'down', 'odd', 'busy'])
    await customer.fetch(`/v1/status?domain=${name}.example&skip_cache=0`);
  await customer.graphql('{ domain(name: "free.example") { available } }');
  await using stream = await subscribe(
    { ...gateway, fetch: customer.fetch },
    'domains: ["free.example"]',
  );
  await stream.rest();
  await customer.fetch('/v1/status?domain=a.no-such-tld');
  scraped = await scrapeUntil(gateway, ({ sum }) => sum('rdap_gateway_http_streams_total') > 0);
});
afterAll(() => metered[Symbol.asyncDispose]());

/** The metric of a name in a query: `x_bucket`, `x_sum` and `x_count` are of the histogram `x`. */
const familyOf = (name: string) =>
  scraped.types.has(name) ? name : name.replace(/_(?:bucket|sum|count)$/, '');
const namesIn = (query: string) =>
  [...query.matchAll(/\b(?:rdap_gateway|process|nodejs)_\w+/g)].map(([name]) => name);
const ownNames = Object.keys(metricsTable);

describe('the Grafana dashboard', () => {
  it.each(queries)('shows what there is: %s', (query) => {
    const names = namesIn(query);
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !scraped.types.has(familyOf(name)))).toEqual([]);
    const byHistogram = names
      .filter((name) => name.endsWith('_bucket'))
      .map((name) => scraped.types.get(familyOf(name)));
    expect(byHistogram.filter((type) => type !== 'histogram')).toEqual([]);
  });

  it.each(queries)('asks for labels that there are: %s', (query) => {
    const grouped = [...query.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = '']) =>
      list.split(', '),
    );
    const matched = [...query.matchAll(/(\w+)(?:=~|!=|=)"/g)].map(([, label = '']) => label);
    const known = namesIn(query).flatMap(
      (name) =>
        Object.entries(metricsTable).find(([own]) => own === familyOf(name))?.[1].labels ?? [],
    );
    expect(
      [...grouped, ...matched].filter(
        (label) => !['job', 'instance', 'le', ...known].includes(label),
      ),
    ).toEqual([]);
  });

  it('leaves out what there is to leave out', () => {
    const leftOut = queries.flatMap((query) => [
      ...query.matchAll(/(\w+)\{[^}]*\b(\w+)!="([^"]+)"/g),
    ]);
    expect(leftOut.length).toBeGreaterThan(0);
    for (const [, name = '', label = '', value] of leftOut)
      expect(scraped.values(name, label)).toContain(value);
  });

  it('shows every figure of the gateway’s own', () => {
    const shown = new Set(queries.flatMap(namesIn).map(familyOf));
    expect(ownNames.filter((name) => !shown.has(name))).toEqual([]);
  });

  it('has a row for each section, an id for each panel, and no two panels in one place', () => {
    const sections = new Set(Object.values(metricsTable).map(({ section }) => section));
    expect(panels.filter(({ type }) => type === 'row').map(({ title }) => title)).toEqual([
      ...sections,
    ]);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const places = panels.map(({ gridPos: { x, y } }) => `${x} ${y}`);
    expect(new Set(places).size).toBe(places.length);
  });

  it('has its data source and its instances chosen by whoever looks', () => {
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

describe('every figure of the table', () => {
  it('is there, of the type that is said, and no other', () => {
    const own = [...scraped.types].filter(([name]) => name.startsWith('rdap_gateway_'));
    const inTable = Object.entries(metricsTable).map(([name, { type }]) => [name, type]);
    expect(own.toSorted()).toEqual(inTable.toSorted());
  });

  it.each(Object.entries(metricsTable))(
    '%s has its labels and its meaning',
    (name, { type, labels, meaning }) => {
      const sample = type === 'histogram' ? `${name}_count` : name;
      expect(scraped.text).toContain(`# HELP ${name} ${meaning}\n`);
      expect(scraped.text).toMatch(new RegExp(`^${sample}[ {]`, 'm'));
      for (const label of labels) expect(scraped.values(sample, label)).not.toContain('');
    },
  );

  it.each(Object.entries(metricsTable))('%s is named as Prometheus wants it', (name, { type }) => {
    expect(name.endsWith('_total')).toBe(type === 'counter');
    expect(name).not.toMatch(/_(?:ms|milliseconds|bucket|sum|count)$/);
    if (type === 'histogram') expect(name).toMatch(/_seconds$/);
  });

  it('grows neither with names nor with callers', async () => {
    const { gateway } = metered;
    const series = async () =>
      (await scrape(gateway)).text.match(/^rdap_gateway_\S*?(?:\{.*\})?(?= )/gm) ?? [];
    const customers = await Promise.all(Array.from({ length: 5 }, () => metered.newCustomer()));
    const ask = (round: string) =>
      Promise.all(
        customers.map((customer, index) =>
          customer.fetch(`/v1/status?domain=${round}${index}.tld1&skip_cache=1`),
        ),
      );
    await ask('first');
    const before = await series();
    expect(before.length).toBeGreaterThan(50);
    for (const round of ['second', 'third']) await ask(round);
    expect(await series()).toEqual(before);
  });
});
