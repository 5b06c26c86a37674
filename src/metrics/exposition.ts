import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { metricDescriptions, metricsTable, type MetricName, type MetricRow } from './table.ts';

type Samples = Iterable<readonly [labels: readonly string[], value: number]>;
export type ReadSamples = () => Samples | Promise<Samples>;

/** The metrics as prom-client exposes them. */
export class Exposition {
  readonly #registry = new Registry();
  readonly #histograms = new Map<string, Histogram>();
  /** Functions that read values from the state of other parts. */
  readonly #readers: ReadonlyMap<string, ReadSamples>;

  /** Registers Node's usual metrics, too: they observe the garbage collector and the event loop. */
  constructor(readers: ReadonlyMap<string, ReadSamples>) {
    this.#readers = readers;
    for (const [name, row] of Object.entries<MetricRow>(metricsTable))
      this.#add(name as MetricName, row);
    collectDefaultMetrics({ register: this.#registry });
  }

  observe(name: string, labels: readonly string[], seconds: number): void {
    this.#histograms
      .get(name)
      ?.labels(...labels)
      .observe(seconds);
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }

  #add(name: MetricName, { type, labels, buckets = [] }: MetricRow): void {
    const help = metricDescriptions[name].meaning;
    const options = { name, help, labelNames: labels, registers: [] };
    const collect = collector(() => this.#readers.get(name)?.());
    if (type === 'histogram') {
      const histogram = new Histogram({ ...options, buckets: [...buckets] });
      this.#histograms.set(name, histogram);
      this.#registry.registerMetric(histogram);
    } else
      this.#registry.registerMetric(
        new (type === 'counter' ? Counter : Gauge)({ ...options, collect }),
      );
  }
}

/**
 * Returns prom-client's `collect` hook, which replaces the values of a metric by those read. A metric
 * that cannot be read has no values.
 */
function collector(read: () => ReturnType<ReadSamples> | undefined) {
  return function collect(this: Counter | Gauge): void | Promise<void> {
    const samples = read();
    if (samples instanceof Promise)
      return samples.then(
        (late) => replace(this, late),
        () => this.reset(),
      );
    if (samples) replace(this, samples);
  };
}

function replace(metric: Counter | Gauge, samples: Samples): void {
  metric.reset();
  for (const [labels, value] of samples) metric.labels(...labels).inc(value);
}
