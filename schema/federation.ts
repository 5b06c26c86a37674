import { printSchema, type GraphQLSchema } from 'graphql';
import { entityKeys, parseRepresentation } from '../src/domain/representation.ts';
import type { Context } from '../src/execution/context.ts';
import { builder } from './builder.ts';
import { DomainType } from './domain.ts';
import { lookedUp } from './objects/object-row.ts';
import { AutnumType, IpNetworkType } from './objects/types.ts';
import { TldType } from './tld.ts';

// The fields that every subgraph of Apollo Federation 2 has. @apollo/subgraph requires graphql 16.

const AnyType = builder.scalarType('_Any', { serialize: (value) => value });

const EntityType = builder.unionType('_Entity', {
  types: [DomainType, TldType, IpNetworkType, AutnumType],
  resolveType: (entity) => Reflect.get(entity, '__typename'),
});

const ServiceType = builder.objectRef<GraphQLSchema>('_Service').implement({
  fields: (t) => ({ sdl: t.string({ resolve: subgraphSdl }) }),
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

/** Returns the object that a representation identifies; null if there is none. */
function entityOf(value: unknown, { lookup, catalogue }: Context) {
  const entity = parseRepresentation(value);
  const { type: __typename } = entity;
  switch (entity.type) {
    case 'Domain': {
      const row = lookup.rowOf(entity.name);
      return row && { ...row, __typename };
    }
    case 'Tld': {
      const tld = catalogue.find(entity.label);
      return tld ? { ...tld, __typename } : null;
    }
    case 'IpNetwork':
      return { ...lookedUp(lookup.objects.networkRow(entity.ref, undefined)), __typename };
    case 'Autnum':
      return { ...lookedUp(lookup.objects.row(entity.ref, undefined)), __typename };
  }
}

const printed = new WeakMap<GraphQLSchema, string>();

/** Returns the schema with the keys of its entities, from which routers compose theirs. */
function subgraphSdl(schema: GraphQLSchema): string {
  const link =
    'extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable"])';
  const directives = new Map([
    ...Object.entries(entityKeys).map(([type, key]) => [type, `@key(fields: "${key}")`] as const),
    // Other subgraphs with connections have it, too.
    ['PageInfo', '@shareable'] as const,
  ]);
  const sdl =
    printed.get(schema) ??
    printSchema(schema).replaceAll(/^type (\w+)[^{]*/gm, (head, type: string) =>
      directives.has(type) ? `${head}${directives.get(type)} ` : head,
    );
  printed.set(schema, sdl);
  return `${link}\n\n${sdl}\n`;
}
