import SchemaBuilder, { type ObjectFieldsShape } from '@pothos/core';
import RelayPlugin from '@pothos/plugin-relay';
import type { Context } from '../execution/context.ts';
import type { Json } from '../domain/registration.ts';
import { nodeTypeOf, type NodeType } from '../domain/node-id.ts';
import { tldSets } from '../domain/names/tld-sets.ts';

/** Builds the schema. Fields, edges and nodes are non-null unless declared nullable. */
export const builder = new SchemaBuilder<{
  Context: Context;
  DefaultFieldNullability: false;
  DefaultEdgesNullability: false;
  DefaultNodeNullability: false;
  Connection: { totalCount?: number };
  Scalars: {
    ID: { Input: string; Output: string };
    DateTime: { Input: string; Output: string | number };
    JSON: { Input: Json; Output: Json };
    _Any: { Input: unknown; Output: unknown };
  };
}>({
  plugins: [RelayPlugin],
  defaultFieldNullability: false,
  relay: {
    // IDs are readable, not base64. The plugin would resolve each ID with a promise, so the types
    // define `id` themselves, and `Query` defines `node` and `nodes`.
    decodeGlobalID: (id) => ({ typename: nodeTypeOf(id), id }),
    nodeQueryOptions: false,
    nodesQueryOptions: false,
    nodeTypeOptions: { resolveType: (node) => typeOfNode(node as object) },
    cursorType: 'String',
    edgesFieldOptions: { nullable: false },
    nodesOnConnection: true,
    nodeFieldOptions: { nullable: false },
  },
});

/** Returns the type of a node, identified by a member that only this type has. */
function typeOfNode(node: object): NodeType {
  if ('outcome' in node) return 'Domain';
  return 'registryHost' in node ? 'Tld' : 'Registration';
}

export const maxAgeDescription =
  'Maximum age of a cached answer, in seconds; 0 always queries the registry. A cached AVAILABLE answer is ' +
  'never older than an hour. By default, answers stay fresh for 5 minutes (available, in redemption or pending ' +
  'deletion), an hour (reserved, or within a week of expiry) or a day (all others).';

/** Defines an enum of words, such as `not_found`, whose names are in upper case. */
export function enumOfWords<const Word extends string>(name: string, words: readonly Word[]) {
  const values = Object.fromEntries(words.map((value) => [value.toUpperCase(), { value }]));
  return builder.enumType(name, { values: values as Record<Uppercase<Word>, { value: Word }> });
}

const Confirm = builder.enumType('Confirm', { values: ['ALL', 'AVAILABLE'] as const });

/** The names of the TLD sets, with `@`, as code spans. */
export const tldSetNames: readonly string[] = Object.keys(tldSets).map((name) => `\`@${name}\``);

const tldsDescription = `TLDs or longer suffixes, such as \`com\` or \`co.uk\`, or sets (${tldSetNames.join(', ')}); a leading dot is ignored.`;

const DomainSearch = builder.inputType('DomainSearch', {
  fields: (t) => ({
    label: t.string({ required: true }),
    tlds: t.stringList({ required: true, description: tldsDescription }),
  }),
});

const DomainsBy = builder.inputType('DomainsBy', {
  isOneOf: true,
  fields: (t) => ({ names: t.stringList(), search: t.field({ type: DomainSearch }) }),
});

/** Returns the arguments that `domains` and `availability` share. */
export const searchArgs = () =>
  builder.args((t) => ({
    by: t.field({ type: DomainsBy }),
    name: t.string(),
    tlds: t.stringList({ description: tldsDescription }),
    domains: t.stringList(),
    maxAge: t.int({ description: maxAgeDescription }),
    confirm: t.field({ type: Confirm, defaultValue: 'ALL' }),
  }));

builder.scalarType('DateTime', {
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339',
  // Dates of a registration are strings in this format already.
  serialize: (value) => (typeof value === 'string' ? value : new Date(value).toISOString()),
});

builder.scalarType('JSON', {
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259',
  serialize: (value) => value,
});

export type SchemaTypes = (typeof builder)['$inferSchemaTypes'];

/** Defines an object type without interfaces. */
export function objectType<T>(name: string, fields: ObjectFieldsShape<SchemaTypes, T>) {
  return builder.objectRef<T>(name).implement({ fields });
}

/** Exposes members of an object that are texts or absent. */
export function nullableStrings<T>(
  t: Parameters<ObjectFieldsShape<SchemaTypes, T>>[0],
  ...names: readonly (keyof T & string)[]
) {
  const exposed = names.map((name) => [name, t.exposeString(name as never, { nullable: true })]);
  return Object.fromEntries(exposed) as Record<string, PothosSchemaTypes.FieldRef<SchemaTypes>>;
}

/** Returns a resolver that finds an object with the lookups of the operation. */
export function withLookup<T, R>(find: (parent: T, lookup: Context['lookup']) => R) {
  return (parent: T, _args: object, { lookup }: Context): R => find(parent, lookup);
}

/** An interface of objects with a shape. */
export type InterfaceOf<T> = PothosSchemaTypes.InterfaceRef<SchemaTypes, T>;

/** Returns the connection of a page (Relay specification). Its edges are made if they are selected. */
export function connectionOf<T>(
  nodes: readonly T[],
  cursorOf: (node: T) => string,
  pages: { readonly hasNextPage: boolean; readonly hasPreviousPage: boolean },
) {
  const [start = null, end = null] = [nodes[0], nodes.at(-1)].map((node) => node && cursorOf(node));
  return {
    get edges() {
      return nodes.map((node) => ({ cursor: cursorOf(node), node }));
    },
    nodes,
    pageInfo: { ...pages, startCursor: start, endCursor: end },
  };
}
