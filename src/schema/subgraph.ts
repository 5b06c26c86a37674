import {
  getNamedType,
  GraphQLEnumType,
  GraphQLInputObjectType,
  GraphQLInt,
  GraphQLInterfaceType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
  GraphQLUnionType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
  Kind,
  visit,
  type DocumentNode,
  type GraphQLFieldConfig,
  type GraphQLNamedType,
  type GraphQLType,
} from 'graphql';
import { entityKeys } from '../domain/node-id.ts';
import { oncePerObject, getOrInsert } from '../shared/memoize.ts';
import { applyDirectives } from './print-schema.ts';

/** Begins the names of types, so that other subgraphs have no types with the same names. */
const prefix = 'Rdap';
/** Types that subgraphs share, or that each has, besides the entities. */
const sharedTypes = new Set(['PageInfo', 'Query', 'Subscription', '_Entity', '_Service']);

const isEntity = (name: string) => name in entityKeys;

/**
 * Returns the part of a schema that other subgraphs compose with: the entities, the root fields that
 * return them, and what is below. All other types have a prefix.
 */
export const subgraphOf = oncePerObject((schema: GraphQLSchema): GraphQLSchema => {
  if (schema.extensions['isSubgraph']) return schema;

  const types = new Map<string, GraphQLNamedType>();

  function typeOf<T extends GraphQLType>(type: T): T;
  function typeOf(type: GraphQLType): GraphQLType {
    if (isListType(type)) return new GraphQLList(typeOf(type.ofType));
    if (isNonNullType(type)) return new GraphQLNonNull(typeOf(type.ofType));
    return getOrInsert(types, type.name, () => copyOf(type));
  }

  function copyOf(type: GraphQLNamedType): GraphQLNamedType {
    const name = subgraphName(type);
    if (isEnumType(type)) return new GraphQLEnumType({ ...type.toConfig(), name });

    if (isUnionType(type)) {
      const { types: members, ...config } = type.toConfig();
      return new GraphQLUnionType({ ...config, name, types: () => members.map(typeOf) });
    }

    if (isInputObjectType(type)) {
      const { fields, ...config } = type.toConfig();
      return new GraphQLInputObjectType({ ...config, name, fields: () => retyped(fields) });
    }

    if (!isObjectType(type) && !isInterfaceType(type)) return type;

    const { fields, interfaces, ...config } = type.toConfig();
    const lazy = {
      name,
      interfaces: () => interfaces.filter((each) => each.name !== 'Node').map(typeOf),
      fields: () => fieldsOf(type.name, fields),
    };

    return isObjectType(type)
      ? new GraphQLObjectType({ ...type.toConfig(), ...lazy })
      : new GraphQLInterfaceType({ ...config, ...lazy } as never);
  }

  function fieldsOf(typeName: string, fields: Fields): Fields {
    const kept = Object.entries(fields).filter(([name, { type }]) =>
      typeName === 'Query' || typeName === 'Subscription'
        ? name.startsWith('_') || leadsToEntity(getNamedType(type))
        : true,
    );
    return Object.fromEntries(
      kept.map(([name, field]) => {
        const copy = { ...field, type: typeOf(field.type), args: retyped(field.args ?? {}) };
        return [name, typeName === 'Autnum' && name === 'startNumber' ? asInt(copy) : copy];
      }),
    );
  }

  function retyped<T extends { readonly type: GraphQLType }>(
    elements: Readonly<Record<string, T>>,
  ): Record<string, T> {
    return Object.fromEntries(
      Object.entries(elements).map(([name, each]) => [name, { ...each, type: typeOf(each.type) }]),
    );
  }

  const { description, directives } = schema.toConfig();
  const [query, subscription] = [schema.getQueryType(), schema.getSubscriptionType()];
  const subgraph = new GraphQLSchema({
    description,
    directives,
    extensions: { isSubgraph: true },
    query: query && typeOf(query),
    subscription: subscription && typeOf(subscription),
  });

  for (const [name, fields] of Object.entries(entityKeys))
    applyDirectives(subgraph.getType(name) ?? missing(name), { key: { fields } });
  applyDirectives(subgraph.getType('PageInfo') ?? missing('PageInfo'), { shareable: {} });

  return subgraph;
});

type Fields = Record<string, GraphQLFieldConfig<unknown, unknown>>;

function missing(name: string): never {
  throw new Error(`The subgraph has no type ${name}.`);
}

function subgraphName(type: GraphQLNamedType): string {
  const isShared = isEntity(type.name) || sharedTypes.has(type.name);
  return isShared ? type.name : `${prefix}${type.name}`;
}

/** Returns whether a type is an entity, or a connection of entities. */
function leadsToEntity(type: GraphQLNamedType): boolean {
  if (isEntity(type.name)) return true;
  const nodes = isObjectType(type) ? type.getFields()['nodes'] : undefined;
  return nodes !== undefined && isEntity(getNamedType(nodes.type).name);
}

/** AS numbers are `Int` elsewhere; those that exceed it are null. */
function asInt({ resolve, ...field }: Fields[string]): Fields[string] {
  return {
    ...field,
    type: GraphQLInt,
    resolve: async (...args) => {
      const number = await resolve?.(...args);
      return typeof number === 'number' && number > maxInt ? null : number;
    },
  };
}

const maxInt = 2 ** 31 - 1;

/**
 * Returns whether a document is that of a router: it names types by their names in the subgraph, or
 * selects `_entities`, and nothing that the subgraph lacks.
 */
export function isForSubgraph(document: DocumentNode, schema: GraphQLSchema): boolean {
  const subgraph = subgraphOf(schema);
  const rootFields = subgraph.getQueryType()?.getFields() ?? {};
  const names = new Set<string>();
  let [selectsEntities, isPlain] = [false, false];

  visit(document, {
    NamedType: ({ name }) => void names.add(name.value),
    Field: ({ name }) => void (selectsEntities ||= name.value === '_entities'),
    OperationDefinition({ operation, selectionSet }) {
      isPlain ||=
        operation === 'query' &&
        selectionSet.selections.some(
          (each) => each.kind === Kind.FIELD && !(each.name.value in rootFields),
        );
    },
  });

  const named = [...names];
  if (named.some((name) => name.startsWith(prefix) && subgraph.getType(name))) return true;

  return selectsEntities && !isPlain && named.every((name) => subgraph.getType(name));
}
