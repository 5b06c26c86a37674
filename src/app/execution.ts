import { GraphQLSchema, type DocumentNode } from 'graphql';
import { baseSchema, schema } from './schema.ts';
import { tldOf } from '../domain/names/domain-name.ts';
import type { Extension } from '../domain/extension.ts';
import type { ExecutionParts } from '../execution/context.ts';
import { Execution } from '../execution/execution.ts';
import type { TimeSlices } from '../execution/time-slices.ts';
import { createNameCapacity } from '../lookup/name-capacity.ts';
import type { Common } from './common.ts';
import { isForSubgraph, subgraphOf } from '../schema/subgraph.ts';
import { once, oncePerObject } from '../shared/memoize.ts';
import { maxInputs, queueTimeouts } from './settings.ts';
import type { Sources } from './sources.ts';

/** The schemas of the subgraph, which few gateways need. */
const subgraphSchemas = once(() => {
  const base = subgraphOf(baseSchema);
  const full = new GraphQLSchema({ ...base.toConfig(), directives: schema.getDirectives() });
  return { base, full };
});

/** Documents are read once: those that are sent often are cached. */
const isOfRouter = oncePerObject((document: DocumentNode) => isForSubgraph(document, baseSchema));

export function buildExecution(
  { config, clock, log, instruments }: Pick<Common, 'config' | 'clock' | 'log' | 'instruments'>,
  {
    directory,
    objects,
    registrars,
    catalogue,
    timelines,
    publishedFields,
    accuracy,
    extensions: sites,
  }: Sources,
  ledger: ExecutionParts['ledger'],
  slices: TimeSlices,
  extensions: readonly Extension[] = [],
): Execution {
  return new Execution({
    schemas: { base: baseSchema, full: schema },
    routerSchemas: (document, isRouter) =>
      isRouter || isOfRouter(document) ? subgraphSchemas() : undefined,
    allowIntrospection: config.INTROSPECTION,
    directory,
    objects,
    registrars,
    catalogue,
    timelines,
    extensions: [...sites, ...extensions],
    ledger,
    log,
    clock,
    slices,
    queueTimeouts: queueTimeouts(config),
    maxLookups: config.MAX_LOOKUPS,
    dnsFirst: config.DNS_FIRST,
    maxEntries: maxInputs(config),
    nameCapacity: createNameCapacity(),
    onOutcome: instruments.outcome,
    onObject: instruments.object,
    onAvailable:
      config.ACCURACY_SAMPLE > 0
        ? (name, answeredAt) => accuracy.take?.(name, answeredAt)
        : undefined,
    onRegistration: (suffix, registration) => publishedFields.record(tldOf(suffix), registration),
  });
}
