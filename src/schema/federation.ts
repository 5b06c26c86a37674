import { printSchema, type GraphQLSchema } from 'graphql';
import { parseAutnumRef, parseIpRef } from '../domain/object-ref.ts';
import { Problem, withParam } from '../domain/problems.ts';
import { entityKeys, parseDomainKey, parseRepresentation } from '../domain/node-id.ts';
import { quoted } from '../shared/printable.ts';
import type { Context } from '../execution/context.ts';
import { oncePerObject } from '../shared/memoize.ts';
import { builder } from './builder.ts';
import { DomainType } from './domain.ts';
import { lookedUp, AutnumType, IpNetworkType } from './objects/object-row.ts';
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

/** Returns the schema with the keys of its entities, from which routers compose theirs. */
const subgraphSdl = oncePerObject((schema: GraphQLSchema): string => {
  const link =
    'extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable"])';
  // Other subgraphs with connections have PageInfo, too.
  const directives = new Map([['PageInfo', '@shareable']]);
  for (const [type, key] of Object.entries(entityKeys))
    directives.set(type, `@key(fields: "${key}")`);
  const sdl = printSchema(schema).replaceAll(/^type (\w+)[^{]*/gm, (head, type: string) =>
    directives.has(type) ? `${head}${directives.get(type)} ` : head,
  );
  return `${link}\n\n${sdl}\n`;
});
