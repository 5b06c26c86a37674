import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { once } from '../shared/memoize.ts';
import {
  metricDescriptions,
  metricsTable,
  type LabelValues,
  type MetricName,
  type MetricRow,
  type MetricNameOf,
} from './table.ts';

/** A value and its labels, in the table's order. */
export type Sample<Name extends MetricName> = readonly [labels: LabelValues<Name>, value: number];

type ReadSamples = () => Iterable<readonly [labels: readonly string[], value: number]>;

/**
 * The metrics of one gateway. Each has its own registry, so that several gateways can run in one
 * process.
 */
export class Metrics {
  readonly #registry = new Registry();
  /** Values of counters by their labels: prom-client takes three times as long to find one. */
  readonly #counts = new Map<string, Map<string, [labels: readonly string[], value: number]>>();
  readonly #histograms = new Map<string, Histogram>();
  /** Functions that read values from the state of other parts. */
  readonly #readers = new Map<string, ReadSamples>();
  /**
   * Registers Node's usual metrics when metrics are first requested: they observe the garbage
   * collector and the event loop.
   */
  readonly #addProcessMetrics = once(() => collectDefaultMetrics({ register: this.#registry }));

  constructor() {
    for (const [name, row] of Object.entries<MetricRow>(metricsTable))
      this.#add(name as MetricName, row);
  }

  /** Adds to a counter. */
  count<Name extends MetricNameOf<'counter'>>(name: Name, labels: LabelValues<Name>, by = 1): void {
    const counts = this.#counts.get(name);
    const key = labels.join('\n');
    const count = counts?.get(key);
    if (count) count[1] += by;
    else counts?.set(key, [labels, by]);
  }

  /** Records an observation in a histogram, in seconds. */
  observe<Name extends MetricNameOf<'histogram'>>(
    name: Name,
    labels: LabelValues<Name>,
    seconds: number,
  ): void {
    this.#histograms
      .get(name)
      ?.labels(...labels)
      .observe(seconds);
  }

  /** Reads a gauge, or a counter of another part, whenever metrics are requested. */
  registerReader<Name extends MetricNameOf<'gauge' | 'counter'>>(
    name: Name,
    read: () => Iterable<Sample<Name>>,
  ): void {
    this.#readers.set(name, read);
  }

  /** Returns all metrics in the Prometheus text format. */
  async text(): Promise<string> {
    this.#addProcessMetrics();
    return this.#registry.metrics();
  }

  /** The media type of the text. */
  get mediaType(): string {
    return this.#registry.contentType;
  }

  #add(name: MetricName, { type, labels, buckets = [] }: MetricRow): void {
    const help = metricDescriptions[name].meaning;
    const options = { name, help, labelNames: labels, registers: [] };
    const collect = collector(() => this.#readers.get(name)?.());
    if (type === 'histogram')
      this.#histograms.set(
        name,
        this.#register(new Histogram({ ...options, buckets: [...buckets] })),
      );
    else if (type === 'counter') {
      const counts = new Map<string, [readonly string[], number]>();
      this.#counts.set(name, counts);
      this.#readers.set(name, () => counts.values());
      this.#register(new Counter({ ...options, collect }));
    } else this.#register(new Gauge({ ...options, collect }));
  }

  #register<Kind extends Counter | Gauge | Histogram>(metric: Kind): Kind {
    this.#registry.registerMetric(metric);
    return metric;
  }
}

/** Returns prom-client's `collect` hook, which replaces the values of a metric by those read. */
function collector(read: () => ReturnType<ReadSamples> | undefined) {
  return function collect(this: Counter | Gauge): void {
    const samples = read();
    if (!samples) return;
    this.reset();
    for (const [labels, value] of samples) this.labels(...labels).inc(value);
  };
}
