import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import { createHistogram, type Histogram } from './histogram.ts';
import { snapshotOf, type Snapshot } from './snapshot.ts';
import { labelled, metricsTable, type LabelValue, type LabelValues, type MetricName, type MetricRow, type Named } from './table.ts';
import { createTally, type Tally } from './tally.ts';

/** The figures of one gateway. Each has its own, so that several may live in one process. */
export interface Metrics {
  /** Adds to a counter. */
  count<Name extends Named<'counter'>>(name: Name, labels: LabelValues<Name>, by?: number): void;
  /** Adds to a histogram. */
  observe<Name extends Named<'histogram'>>(name: Name, labels: LabelValues<Name>, seconds: number): void;
  /** Has a gauge, or a counter that somebody else keeps, read by `now` whenever somebody wants to know. */
  read<Name extends Named<'gauge' | 'counter'>>(name: Name, now: () => Iterable<Reading<Name>>): void;
  /** All of it now, with Node's usual figures of the process, which are watched from the first time on. */
  snapshot(): Promise<Snapshot>;
}

export type Reading<Name extends MetricName> = readonly [labels: LabelValues<Name>, value: number];

type Readings = () => Iterable<readonly [labels: readonly LabelValue[], value: number]>;

/** Every metric of the table, at nothing. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const tallies = new Map<string, Tally>();
  const readings = new Map<string, Readings>();
  const histograms = new Map<string, Histogram>();
  let watchesProcess = false;

  for (const [name, row] of Object.entries<MetricRow>(metricsTable)) {
    if (row.type === 'histogram') {
      histograms.set(name, createHistogram(name, row));
      continue;
    }
    const tally = createTally();
    tallies.set(name, tally);
    readings.set(name, tally.sums);
    readWhenAsked(name, row, registry, () => readings.get(name)?.() ?? []);
  }

  return {
    count: (name, labels, by = 1) => tallies.get(name)?.add(labels, by),
    observe: (name, labels, seconds) => histograms.get(name)?.observe(labels, seconds),
    read: (name, now) => void readings.set(name, now),
    async snapshot() {
      if (!watchesProcess) collectDefaultMetrics({ register: registry });
      watchesProcess = true;
      return [...(await snapshotOf(registry)), ...Array.from(histograms.values(), (histogram) => histogram.snapshot())];
    },
  };
}

function readWhenAsked(name: string, row: MetricRow, registry: Registry, now: Readings): void {
  const Kind = row.type === 'gauge' ? Gauge : Counter;
  const metric: Gauge | Counter = new Kind({
    ...described(name, row, registry),
    collect() {
      metric.reset();
      for (const [labels, value] of now()) metric.inc(labelled(row.labels, labels), value);
    },
  });
}

function described(name: string, { meaning, labels, across }: MetricRow, registry: Registry) {
  return { name, help: meaning, labelNames: labels, aggregator: across ?? ('sum' as const), registers: [registry] };
}
