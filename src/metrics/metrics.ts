import { onceFulfilled } from '../shared/memoize.ts';
import type { Exposition, ReadSamples } from './exposition.ts';
import { metricsTable, type LabelValues, type MetricName, type MetricNameOf } from './table.ts';

/** A value and its labels, in the table's order. */
type Sample<Name extends MetricName> = readonly [labels: LabelValues<Name>, value: number];

const maxPending = 1000;

/**
 * The metrics of one gateway. Each has its own registry, so that several gateways can run in one
 * process.
 */
export class Metrics {
  readonly mediaType = 'text/plain; version=0.0.4; charset=utf-8';
  /** Values of counters by their labels: prom-client takes three times as long to find one. */
  readonly #counts = new Map<string, Map<string, [labels: readonly string[], value: number]>>();
  readonly #readers = new Map<string, ReadSamples>();
  #pending: Parameters<Exposition['observe']>[] = [];
  #exposition: Exposition | undefined;
  /** Loads prom-client, which takes a tenth of the start, when metrics are first requested. */
  readonly #expose = onceFulfilled(async () => {
    const { Exposition: Loaded } = await import('./exposition.ts');
    this.#exposition = new Loaded(this.#readers);
    for (const observation of this.#pending.splice(0)) this.#exposition.observe(...observation);
    return this.#exposition;
  });

  constructor() {
    for (const [name, { type }] of Object.entries(metricsTable)) {
      if (type !== 'counter') continue;
      const counts = new Map<string, [readonly string[], number]>();
      this.#counts.set(name, counts);
      this.#readers.set(name, () => counts.values());
    }
  }

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
    if (this.#exposition) return this.#exposition.observe(name, labels, seconds);
    if (this.#pending.push([name, labels, seconds]) === maxPending) void this.#expose();
  }

  /** Reads a gauge, or a counter of another part, whenever metrics are requested. */
  registerReader<Name extends MetricNameOf<'gauge' | 'counter'>>(
    name: Name,
    read: () => Iterable<Sample<Name>> | Promise<Iterable<Sample<Name>>>,
  ): void {
    this.#readers.set(name, read);
  }

  /** Returns all metrics in the Prometheus text format. */
  async text(): Promise<string> {
    return (await this.#expose()).text();
  }
}
