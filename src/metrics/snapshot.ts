import type { Registry } from 'prom-client';

/** All figures of one process at one moment. */
export type Snapshot = readonly (Omit<PromMetric, 'collect' | 'type'> & { readonly type: unknown })[];

// Its `type` is declared as a number, and is a word.
type PromMetric = Awaited<ReturnType<Registry['getMetricsAsJSON']>>[number];

/** Returns the metrics of this process in Prometheus' text format. */
export async function metricsText(snapshot: Snapshot): Promise<string> {
  // Loaded when metrics are first requested: a gateway that is starting does not need it.
  const { AggregatorRegistry } = await import('prom-client');
  return AggregatorRegistry.aggregate([snapshot]).metrics();
}

/** The media type of that text. */
export const metricsMediaType = 'text/plain; version=0.0.4; charset=utf-8';
