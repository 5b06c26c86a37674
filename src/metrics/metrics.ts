import { createHistogram, type Histogram } from './histogram.ts';
import { processFigures } from './process-figures.ts';
import type { Snapshot } from './snapshot.ts';
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
  const tallies = new Map<string, Tally>();
  const readings = new Map<string, Readings>();
  const histograms = new Map<string, Histogram>();
  const ofProcess = processFigures();

  for (const [name, row] of Object.entries<MetricRow>(metricsTable)) {
    if (row.type === 'histogram') {
      histograms.set(name, createHistogram(name, row));
      continue;
    }
    const tally = createTally();
    tallies.set(name, tally);
    readings.set(name, tally.sums);
  }

  return {
    count: (name, labels, by = 1) => tallies.get(name)?.add(labels, by),
    observe: (name, labels, seconds) => histograms.get(name)?.observe(labels, seconds),
    read: (name, now) => void readings.set(name, now),
    async snapshot() {
      const own = Object.entries<MetricRow>(metricsTable).map(
        ([name, row]) => histograms.get(name)?.snapshot() ?? figureOf(name, row, readings.get(name)?.() ?? []),
      );
      // What nothing was measured for yet is no number, and JSON has none for it.
      return [...own, ...(await ofProcess())].map((figure) => ({
        ...figure,
        values: figure.values.filter(({ value }) => Number.isFinite(value)),
      }));
    },
  };
}

function figureOf(name: string, { type, meaning, labels, across }: MetricRow, readings: ReturnType<Readings>): Snapshot[number] {
  const values = Array.from(readings, ([its, value]) => ({ labels: labelled(labels, its), value }));
  // What has no labels is there before anything was counted.
  const shown = labels.length === 0 && values.length === 0 ? [{ labels: {}, value: 0 }] : values;
  return { name, help: meaning, type, aggregator: across ?? 'sum', values: shown };
}
