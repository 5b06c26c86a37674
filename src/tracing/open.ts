import type { Clock } from '../clock.ts';
import type { Tracing } from './tracing.ts';

/** What creates spans. */
export type Tracer = Pick<
  Tracing,
  'router' | 'source' | 'client' | 'lookups' | 'cacheReads' | 'withinLookups'
>;

/** Where the OpenTelemetry API registers an SDK, in all its versions 1. */
const registry = Symbol.for('opentelemetry.js.api.1');

/** Opens the tracing, if an SDK was registered before the gateway was started. */
export async function openTracing(clock: Clock): Promise<Tracer> {
  if (!(registry in globalThis)) return untraced;
  return new (await import('./tracing.ts')).Tracing(clock);
}

const untraced: Tracer = {
  router: (router) => router,
  source: (source) => source,
  client: (client) => client,
  lookups: (source) => (query, request) => source.lookup(query, request),
  cacheReads: (read) => read,
  withinLookups: (source) => source,
};
