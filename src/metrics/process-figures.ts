import { onceFulfilled } from '../once.ts';
import type { Snapshot } from './snapshot.ts';

/** Node's usual figures of this process, which are watched from the first time on that somebody wants to know. */
export function processFigures(): () => Promise<Snapshot> {
  const watched = onceFulfilled(async () => {
    const { collectDefaultMetrics, Registry } = await import('prom-client');
    const registry = new Registry();
    collectDefaultMetrics({ register: registry });
    return registry;
  });
  return async () => {
    const metrics = await (await watched()).getMetricsAsJSON();
    // prom-client would leave out when a process started wherever figures are merged.
    return metrics.map((metric) => ({ ...metric, aggregator: metric.aggregator === 'omit' ? 'min' : metric.aggregator }));
  };
}
