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
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type Gateway, type Json } from '../support/gateway.ts';
import { toolCall } from '../support/mcp-messages.ts';

// The bodies and targets are as long as the limits allow. A text that is read again for each TLD
// takes 40 s of processor time, any other one less than 0.2 s.
const maxSeconds = 1;
const maxAliases = 45;

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway({ env: { RATE_LIMIT: '0', RDAP_RATE: '0' } });
  await gateway.get('/v1/email/blacklist?limit=1'); // loads the list
});
afterAll(() => gateway[Symbol.asyncDispose]());

const texts = (length: number) =>
  ['ü', 'a.', 'a,b.tld ', '[\u0301'].map((part) =>
    part.repeat(Math.floor(length / Buffer.byteLength(part))),
  );
const lists = (length: number) => [
  Array.from({ length: length / 10 }, (_, index) => `ü${index}.tld`),
  Array(Math.floor(length / 5)).fill('ü'),
];

/** Sends requests one at a time. Returns those that take too much processor time, or fail. */
async function expensiveOf(requests: readonly (readonly [string, () => Promise<Response>])[]) {
  const expensive: unknown[] = [];
  for (const [what, send] of requests) {
    const before = process.cpuUsage();
    const response = await send();
    await response.text();
    const { user, system } = process.cpuUsage(before);
    const seconds = (user + system) / 1e6;
    if (seconds > maxSeconds || response.status >= 500)
      expensive.push([what, response.status, seconds]);
  }
  return expensive;
}

const read = (file: string) =>
  readFileSync(new URL(`../../schema/${file}`, import.meta.url), 'utf8');

describe('a long argument', { timeout: 60_000 }, () => {
  it('takes little processor time with all aliases: GraphQL', async () => {
    const schema = buildSchema(read('schema.graphql'));
    expect(await expensiveOf(graphqlRequests(schema))).toEqual([]);
  });

  it('takes little processor time: REST and RDAP', async () => {
    expect(await expensiveOf(restRequests(JSON.parse(read('openapi.json'))))).toEqual([]);
  });

  it('takes little processor time: MCP', async () => {
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
    const headers = { accept: 'application/json' };
    const { result } = await (await gateway.post('/mcp', list, headers)).json();
    const requests = result.tools.flatMap(({ name, inputSchema }: Json) =>
      Object.keys(inputSchema.properties).flatMap((key) =>
        [...texts(60_000), ...lists(60_000)].map((value, index) => [
          `${name} ${key} ${index}`,
          () => gateway.fetch('/mcp', toolCall(name, { ...known[name], [key]: value })),
        ]),
      ),
    );
    expect(requests.length).toBeGreaterThan(50);
    expect(await expensiveOf(requests)).toEqual([]);
  });
});

/** The other arguments of tools. */
const known: Json = { lookup_domain: { domain: 'a.test' }, inspect_site: { site: 'a.test' } };

type Path = readonly { readonly field: string; readonly args: readonly GraphQLArgument[] }[];

/** Returns a request for each argument of the schema and each long value. */
function graphqlRequests(schema: GraphQLSchema) {
  return argumentPaths(schema).flatMap(([path, argument]) =>
    valuesFor(argument.type).map((value, index) => {
      const name = path.map(({ field }) => field).join('.');
      const query = documentOf(path, argument);
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
  let level: (readonly [Path, unknown])[] = [[[], schema.getQueryType()]];
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

/** Returns a document that selects a path as often as the limits allow. */
function documentOf(path: Path, argument: GraphQLArgument): string {
  const [root = '', ...rest] = path.map(({ field, args }, index) => {
    const isLast = index === path.length - 1;
    const values = args.flatMap(({ name, type }) => {
      if (isLast && name === argument.name) return [`${name}: $v`];
      return isNonNullType(type) || name === 'host' ? [`${name}: ${sampleOf(type)}`] : [];
    });
    return values.length > 0 ? `${field}(${values.join(', ')})` : field;
  });
  const inner = rest.reduceRight((text, field) => `{ ${field} ${text} }`, '{ __typename }');
  const fields = Array.from({ length: maxAliases }, (_, index) => `a${index}: ${root} ${inner}`);
  return `query ($v: ${String(argument.type)}) { ${fields.join(' ')} }`;
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

it.each(['/v1/email/blacklist?limit=1&email=', '/docs/?q=', '/v1/status?domain='])(
  'a long text of the target is in no header of the response: %s',
  async (target) => {
    // The client accepts 16 KiB, and encoding makes `~` three times as long.
    const { status, headers } = await gateway.fetch(`${target}${'~'.repeat(14_000)}`);
    expect(status).toBeLessThan(500);
    expect([...headers].join('').length).toBeLessThan(2000);
  },
);

it('a text to search TLDs for has at most 100 characters', async () => {
  const query = 'query ($v: String) { tlds(search: $v) { totalCount } }';
  const { errors } = await gateway.graphql(query, { v: 'a'.repeat(101) });
  const call = toolCall('list_tlds', { search: 'a'.repeat(101) });
  const { result } = await (await gateway.fetch('/mcp', call)).json();
  const problem = { code: 'invalid_parameter', param: 'search' };
  expect([errors[0].extensions, JSON.stringify(result)]).toEqual([
    expect.objectContaining(problem),
    expect.stringContaining('search must have at most 100 characters'),
  ]);
  const allowed = await gateway.graphql(query, { v: 'a'.repeat(100) });
  expect(allowed).toEqual({ data: { tlds: { totalCount: 0 } } });
});

it('a link to the next page keeps the parameters of the list', async () => {
  const target = '/v1/email/blacklist?email=x&limit=2&format=txt';
  const { headers } = await gateway.fetch(target);
  expect(headers.get('link')).toMatch(/^<\?cursor=\w+&limit=2&format=txt>; rel="next"$/);
});

function restRequests({ paths, components }: Json) {
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
          () => gateway.post('/v1/status/bulk', { names: ['a'], tlds: ['test'], [key]: value }),
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
