// Requests with the longest texts and lists that the limits allow, one for each argument and value.
import { readFileSync } from 'node:fs';
import {
  getNamedType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  type GraphQLArgument,
  type GraphQLInputType,
  type GraphQLSchema,
  buildSchema,
} from 'graphql';
import type { Gateway, Json } from '../gateways/gateway.ts';
import { toolCall } from '../requests/mcp-messages.ts';

export type LongRequests = readonly (readonly [what: string, send: () => Promise<Response>])[];

const maxAliases = 45;
/** A name of nearly 253 octets in A-labels. */
const longestName = `${`${'ü'.repeat(54)}.`.repeat(4)}tld`;
/** The default of `MAX_LOOKUPS`. */
const maxNames = 500;

const texts = (length: number) => [
  ...['ü', 'a.', 'a,b.tld ', '[\u0301', '{a,b}', 'a_', '<!--', 'a;\n'].map((part) =>
    part.repeat(Math.floor(length / Buffer.byteLength(part))),
  ),
  '<a '.padEnd(length, 'href='),
  longestName,
];
const lists = (length: number) => [
  ...['.tld', ''].map((end) =>
    Array.from({ length: maxNames }, (_, index) => `${'ü'.repeat(length / 1200)}${index}${end}`),
  ),
  Array.from({ length: length / 10 }, (_, index) => `ü${index}.tld`),
  Array(Math.floor(length / 5)).fill('ü'),
];

const read = (file: string) =>
  readFileSync(new URL(`../../../schema/${file}`, import.meta.url), 'utf8');

type Path = readonly { readonly field: string; readonly args: readonly GraphQLArgument[] }[];

/** Returns a request for each argument of the schema and each long value. */
export function graphqlRequests(gateway: Gateway, aliases = maxAliases): LongRequests {
  const schema = buildSchema(read('schema.graphql'));
  return argumentPaths(schema).flatMap(([path, argument]) =>
    valuesFor(argument.type).map((value, index) => {
      const name = path.map(({ field }) => field).join('.');
      const isMutation = schema.getMutationType()?.getFields()[path[0]?.field ?? ''] !== undefined;
      const query = (isMutation ? 'mutation' : 'query') + documentOf(path, argument, aliases);
      return [
        `${name}(${argument.name}) ${index}`,
        () => gateway.post('/graphql', { query, variables: { v: value } }),
      ] as const;
    }),
  );
}

/** Returns the path to each argument of the schema, the shortest for each field. */
function argumentPaths(schema: GraphQLSchema): readonly (readonly [Path, GraphQLArgument])[] {
  const seen = new Set<string>();
  const found: (readonly [Path, GraphQLArgument])[] = [];
  let level: (readonly [Path, unknown])[] = [
    [[], schema.getQueryType()],
    [[], schema.getMutationType()],
  ];
  while (level.length > 0) {
    const next: typeof level = [];
    for (const [path, type] of level) {
      if (!isObjectType(type) || seen.has(type.name)) continue;
      seen.add(type.name);
      for (const { name, args, type: inner } of Object.values(type.getFields())) {
        const extended = [...path, { field: name, args }];
        found.push(...args.map((argument) => [extended, argument] as const));
        next.push([extended, getNamedType(inner)]);
      }
    }
    level = next;
  }
  return found;
}

/** Returns a document, without its first word, that selects a path as often as the limits allow. */
function documentOf(path: Path, argument: GraphQLArgument, aliases: number): string {
  const [root = '', ...rest] = path.map(({ field, args }, index) => {
    const isLast = index === path.length - 1;
    const values = args.flatMap(({ name, type }) => {
      if (isLast && name === argument.name) return [`${name}: $v`];
      return isNonNullType(type) || name === 'host' ? [`${name}: ${sampleOf(type)}`] : [];
    });
    return values.length > 0 ? `${field}(${values.join(', ')})` : field;
  });
  const inner = rest.reduceRight((text, field) => `{ ${field} ${text} }`, '{ __typename }');
  const fields = Array.from({ length: aliases }, (_, index) => `a${index}: ${root} ${inner}`);
  return ` ($v: ${String(argument.type)}) { ${fields.join(' ')} }`;
}

const sampleOf = (type: GraphQLInputType) => (/\[/.test(String(type)) ? '[]' : '"a.test"');

function valuesFor(type: GraphQLInputType): readonly unknown[] {
  const named = getNamedType(type);
  const isList = isListType(isNonNullType(type) ? type.ofType : type);
  if (isEnumType(named)) {
    const values = named.getValues().map(({ name }) => name);
    return isList
      ? [Array.from({ length: 6000 }, (_, index) => values[index % values.length])]
      : [values[0]];
  }
  if (isList) return [...lists(50_000), ...texts(50_000).map((text) => [text])];
  return texts(50_000);
}

/** Returns a request for each parameter of OpenAPI, each member of bodies and each RDAP path. */
export function restRequests(gateway: Gateway): LongRequests {
  const { paths, components }: Json = JSON.parse(read('openapi.json'));
  const queries = Object.entries<Json>(paths).flatMap(([path, { get }]) =>
    (get?.parameters ?? []).flatMap(({ $ref, ...parameter }: Json) => {
      const { name, in: place } = $ref ? components.parameters[$ref.split('/').at(-1)] : parameter;
      return texts(14_000 / 3)
        .concat('a,'.repeat(7000))
        .map(
          (text, index) =>
            [
              `${path} ${name} ${index}`,
              () =>
                place === 'query'
                  ? gateway.fetch(`${path}?${new URLSearchParams([[name, text]])}`)
                  : gateway.fetch(path, { headers: { [name]: 'a,'.repeat(7000) } }),
            ] as const,
        );
    }),
  );
  const bodies = ['domains', 'names', 'tlds', 'max_age', 'confirm', 'budget_ms'].flatMap((key) =>
    [...lists(50_000), ...texts(50_000)].map(
      (value, index) =>
        [
          `bulk ${key} ${index}`,
          () => gateway.post('/v1/status/bulk', { names: ['a'], tlds: ['tld'], [key]: value }),
        ] as const,
    ),
  );
  const objects = ['domain', 'nameserver', 'entity', 'ip', 'autnum'].flatMap((type) =>
    texts(14_000 / 3).map(
      (text, index) =>
        [
          `/rdap/${type} ${index}`,
          () => gateway.fetch(`/rdap/${type}/${encodeURIComponent(text)}`),
        ] as const,
    ),
  );
  return [...queries, ...bodies, ...objects];
}

/** Returns a request for each argument of the tools. */
export async function mcpRequests(gateway: Gateway): Promise<LongRequests> {
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
  const headers = { accept: 'application/json' };
  const { result } = await (await gateway.post('/mcp', list, headers)).json();
  return result.tools.flatMap(({ name, inputSchema }: Json) =>
    Object.keys(inputSchema.properties).flatMap((key) =>
      [...texts(60_000), ...lists(60_000)].map((value, index) => [
        `${name} ${key} ${index}`,
        () => gateway.fetch('/mcp', toolCall(name, { ...known[name], [key]: value })),
      ]),
    ),
  );
}

/** The other arguments of tools. */
const known: Json = { lookup_domain: { domain: 'a.test' }, inspect_site: { site: 'a.test' } };
