import { Kind, parse, print, type GraphQLSchema } from 'graphql';
import { parseAutnumRef, parseIpRef } from '../domain/object-ref.ts';
import { Problem, withParam } from '../domain/problems.ts';
import { parseDomainKey, parseRepresentation, type entityKeys } from '../domain/node-id.ts';
import { quoted } from '../shared/printable.ts';
import type { Context } from '../execution/context.ts';
import { prices } from '../execution/charging/prices.ts';
import { fieldFacts } from '../execution/field-facts.ts';
import { oncePerObject } from '../shared/memoize.ts';
import { builder } from './builder.ts';
import { DomainType } from './domain.ts';
import { lookedUp, AutnumType, IpNetworkType } from './objects/object-row.ts';
import { printWithDirectives } from './print-schema.ts';
import { subgraphOf } from './subgraph.ts';
import { TldType } from './tld.ts';

// The fields that every subgraph of Apollo Federation 2 has. @apollo/subgraph requires graphql 16.

const AnyType = builder.scalarType('_Any', {
  specifiedByURL: 'https://specs.apollo.dev/federation/v2.3/#Any',
  serialize: (value) => value,
});

const EntityType = builder.unionType('_Entity', {
  types: [DomainType, TldType, IpNetworkType, AutnumType],
  resolveType: (entity) => Reflect.get(entity, '__typename'),
});

const ServiceType = builder.objectRef<GraphQLSchema>('_Service').implement({
  fields: (t) => ({ sdl: t.string({ resolve: (schema) => subgraphSdl(schema) }) }),
});

builder.queryFields((t) => ({
  _service: t.field({ type: ServiceType, resolve: (_root, _args, _context, { schema }) => schema }),
  _entities: t.field({
    extensions: fieldFacts({ cost: prices.single(1) }),
    type: [EntityType],
    nullable: { list: false, items: true },
    args: { representations: t.arg({ type: [AnyType], required: true }) },
    resolve: (_root, { representations }, context) =>
      // An error of one does not affect the others.
      representations.map(async (value) => entityOf(value, context)),
  }),
}));

/** Loaders by type. Each throws a problem, or returns null, if no object has the key. */
const loaders = {
  Domain: (key, { lookup }) => lookup.rowOf(parseDomainKey(key)),
  Tld: (key, { catalogue }) => catalogue.find(key.toLowerCase()) ?? unknownTld(key),
  IpNetwork: (key, { lookup }) => lookedUp(lookup.objects.networkRow(parseIpRef(key), undefined)),
  Autnum: (key, { lookup }) => lookedUp(lookup.objects.row(parseAutnumRef(key), undefined)),
} as const satisfies Record<keyof typeof entityKeys, (key: string, context: Context) => unknown>;

/** Throws: routers replace a null without an error by an internal error. */
function unknownTld(label: string): never {
  throw new Problem('unsupported_tld', `${quoted(label)} is not a TLD.`);
}

/** Returns the object to which a representation refers; null if there is none. */
function entityOf(value: unknown, context: Context) {
  const { type, key } = parseRepresentation(value);
  const entity = withParam('representations', () => loaders[type](key, context));
  return entity && { ...entity, inputs: [key], __typename: type };
}

/** Returns the text of the subgraph, from which routers compose their schema. */
const subgraphSdl = oncePerObject((schema: GraphQLSchema): string => {
  const directives = ['@key', '@shareable', '@cost', '@listSize'];
  const link = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ${JSON.stringify(directives)})`;
  const { definitions } = parse(printWithDirectives(subgraphOf(schema)));

  // Routers add what all subgraphs have, and what the specification defines.
  const own = definitions.flatMap((definition) => {
    if (definition.kind === Kind.DIRECTIVE_DEFINITION || !('name' in definition)) return [];
    if (definition.name?.value.startsWith('_')) return [];

    // Apollo's composition does not know `@oneOf`.
    if (definition.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION)
      return { ...definition, directives: [] };
    if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION) return definition;

    const fields = definition.fields?.filter(({ name }) => !name.value.startsWith('_')) ?? [];
    return { ...definition, fields };
  });

  return `${link}\n\n${print({ kind: Kind.DOCUMENT, definitions: own })}\n`;
});
