import { AggregatorRegistry, Registry } from 'prom-client';

/** All figures of one process at one moment, as plain JSON that can be sent to another process. */
export type Snapshot = readonly (Omit<PromMetric, 'collect' | 'type'> & { readonly type: unknown })[];

// Its `type` is declared as a number, and is a word.
type PromMetric = Awaited<ReturnType<Registry['getMetricsAsJSON']>>[number];

export async function snapshotOf(registry: Registry): Promise<Snapshot> {
  const metrics = await registry.getMetricsAsJSON();
  return metrics.map((metric) => ({
    ...metric,
    // prom-client would leave out when a process started wherever figures are merged.
    aggregator: metric.aggregator === 'omit' ? 'min' : metric.aggregator,
    // What nothing was measured for yet is no number, and JSON has none for it.
    values: metric.values.filter(({ value }) => Number.isFinite(value)),
  }));
}

/** The figures of several processes as those of one: sums, or what the table says. */
export function mergeSnapshots(snapshots: readonly Snapshot[]): Promise<Snapshot> {
  return AggregatorRegistry.aggregate([...snapshots]).getMetricsAsJSON();
}

/**
 * What stays of a process that has ended: what it had counted, not what it was doing. Merged with those of the living, so that no sum goes
 * back: that would read as if all had started anew.
 */
export function remainsOf(snapshot: Snapshot): Snapshot {
  return snapshot.filter(({ type }) => ['counter', 'histogram'].includes(String(type)));
}

/** The figures of one or several processes in Prometheus' text format. */
export function metricsText(snapshots: readonly Snapshot[]): Promise<string> {
  return AggregatorRegistry.aggregate([...snapshots]).metrics();
}

/** The media type of that text. */
export const metricsMediaType = Registry.PROMETHEUS_CONTENT_TYPE;
