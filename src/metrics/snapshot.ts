import type { Registry } from 'prom-client';

/** All figures of one process at one moment, as plain JSON that can be sent to another process. */
export type Snapshot = readonly (Omit<PromMetric, 'collect' | 'type'> & { readonly type: unknown })[];

// Its `type` is declared as a number, and is a word.
type PromMetric = Awaited<ReturnType<Registry['getMetricsAsJSON']>>[number];

/** The figures of several processes as those of one: sums, or what the table says. */
export async function mergeSnapshots(snapshots: readonly Snapshot[]): Promise<Snapshot> {
  return (await aggregated(snapshots)).getMetricsAsJSON();
}

/**
 * What stays of a process that has ended: what it had counted, not what it was doing. Merged with those of the living, so that no sum goes
 * back: that would read as if all had started anew.
 */
export function remainsOf(snapshot: Snapshot): Snapshot {
  return snapshot.filter(({ type }) => ['counter', 'histogram'].includes(String(type)));
}

/** The figures of one or several processes in Prometheus' text format. */
export async function metricsText(snapshots: readonly Snapshot[]): Promise<string> {
  return (await aggregated(snapshots)).metrics();
}

/** The media type of that text. */
export const metricsMediaType = 'text/plain; version=0.0.4; charset=utf-8';

/** A gateway that is starting has no use for it yet. */
async function aggregated(snapshots: readonly Snapshot[]): Promise<Registry> {
  const { AggregatorRegistry } = await import('prom-client');
  return AggregatorRegistry.aggregate([...snapshots]);
}
