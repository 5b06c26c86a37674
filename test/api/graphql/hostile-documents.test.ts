import { beforeEach, describe, expect, it } from 'vitest';
import { startFakeRegistry } from '../../support/servers/fake-registry.ts';
import { forThisFile } from '../../support/for-this-file.ts';
import { startGateway, type Json } from '../../support/gateways/gateway.ts';

let requestsBefore: number;

const registry = await forThisFile(startFakeRegistry);
const gateway = await forThisFile(startGateway, {
  registries: { example: registry.baseUrl },
  env: { RATE_LIMIT: '0', RDAP_RATE: '0' },
});

const times = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => text(index)).join(' ');
const one = 'domain(name: "free.example", maxAge: 0)';
const expectNoLookup = () => expect(registry.requests.length).toBe(requestsBefore);
const codesOf = ({ errors = [] }: Json): string[] =>
  errors.map(({ extensions }: Json) => extensions.code);

beforeEach(() => void (requestsBefore = registry.requests.length));

const levels = (open: string, close: string, count: number) =>
  open.repeat(count) + close.repeat(count);
const doubled = (type: string, fields: string) =>
  times(40, (index) => `fragment f${index} on ${type} { ...f${index + 1} ...f${index + 1} }`) +
  ` fragment f40 on ${type} { ${fields} }`;

const aliased = (field: string, count: number, inner: string) =>
  times(count, (index) => `${field[0]}${index}: ${field} ${inner}`);

const copies = (
  index: number,
) => `query Copies${index} { ${aliased('domain', 11, '(name: "a.example") { ...domain }')} }
      fragment domain on Domain { ${aliased('rdap', 13, '{ ...rdap }')} }
      fragment rdap on Registration { ${aliased('contacts', 13, '{ ...contact }')} }
      fragment contact on Contact { ${aliased('address', 13, '{ street city region }')} }`;

describe('a hostile document', () => {
  it.each([
    ['20,000 levels of fields', `{ ${levels('a{', '}', 20_000)} }`, 'query_too_large'],
    ['20,000 levels of inline fragments', `{ ${levels('...{', '}', 12_000)} }`, 'query_too_large'],
    [
      'a list literal of 8,000 levels',
      `{ domains(domains: ${levels('[', ']', 8000)}) { id } }`,
      'query_too_large',
    ],
    [
      'an object literal of 8,000 levels',
      `{ domain(name: ${levels('{a:', '}', 8000)}) { id } }`,
      'query_too_large',
    ],
    [
      'a list type of 8,000 levels',
      `query ($v: ${levels('[', ']', 8000)}) { __typename }`,
      'query_too_large',
    ],
    [
      'a field selected 1,900 times',
      `{ ${one} { available ${times(1900, () => 'id')} } }`,
      'query_too_large',
    ],
    [
      'fragments that double 40 times at the top level',
      `{ ...f0 } ${doubled('Query', '__typename')}`,
      'query_too_large',
    ],
    [
      'fragments in a cycle',
      '{ ...a } fragment a on Query { ...b } fragment b on Query { ...a }',
      'invalid_query',
    ],
    [
      'a fragment inside itself',
      `{ ${one} { ...a } } fragment a on Domain { id ...a }`,
      'invalid_query',
    ],
  ])('is rejected without a lookup: %s', async (_case, query, code) => {
    const response = await gateway.post('/graphql', { query });
    expect(response.status).toBe(200);
    expect(new Set(codesOf(await response.json()))).toEqual(new Set([code]));
    expectNoLookup();
  });

  it('is rejected each time that it is sent', async () => {
    for (let again = 0; again < 3; again += 1)
      expect(codesOf(await gateway.graphql(copies(again)))).toEqual(['query_too_large']);
    expectNoLookup();
  });

  it.each(
    Object.entries({
      'list literals': (count: number) => `{ domains(domains: ${levels('[', ']', count)}) { id } }`,
      'unclosed list literals': (count: number) => `{ domains(domains: ${'['.repeat(count)}`,
      'object literals': (count: number) =>
        `{ domain(name: ${'{a:'.repeat(count)}1${'}'.repeat(count)}) { id } }`,
      'list types': (count: number) =>
        `query ($v: ${'['.repeat(count)}Int${']'.repeat(count)}) { __typename }`,
      'inline fragments': (count: number) =>
        `{ ${'...{'.repeat(count)} __typename ${'}'.repeat(count)} }`,
      introspection: (count: number) =>
        `{ __schema { queryType ${'{ ofType '.repeat(count)} { name } ${'} '.repeat(count)} } }`,
    }),
  )('causes no internal error at any depth: %s', async (_case, document) => {
    for (let count = 50; count < 2100; count += 75) {
      const { errors = [] } = await gateway.graphql(document(count));
      expect([
        count,
        codesOf({ errors }).filter((code) => !/^(invalid_query|query_too_large)$/.test(code)),
      ]).toEqual([count, []]);
    }
    expectNoLookup();
  });

  it('is executed if it expands to few fields: fragments that double 40 times inside a name', async () => {
    const result = await gateway.graphql(`{ ${one} { ...f0 } } ${doubled('Domain', 'available')}`);
    expect(result).toEqual({ data: { domain: { available: true } } });
  });

  it('never executes its strings as code', async () => {
    const marked = '__MAGIC_DATE__33a9e76d_02e0_4128_8e92_3530ad3da74d(globalThis.injected=true,0)';
    for (let again = 0; again < 3; again += 1)
      expect(await gateway.graphql(`{ node(id: "${marked}") { id } }`)).toEqual({
        data: { node: null },
      });
    expect(globalThis).not.toHaveProperty('injected');
  });

  it.each([
    ['a list of 8,000 levels', `{"list":${levels('[', ']', 8000)}}`],
    ['an unused list of 8,000 levels', `{"list":["a.example"],"other":${levels('[', ']', 8000)}}`],
    ['an object of 8,000 levels', `{"list":${'{"a":'.repeat(8000)}1${'}'.repeat(8000)}}`],
    ['a long text', `{"list":[["${'x'.repeat(30_000)}"]]}`],
    ['10,000 numbers', `{"list":[${'1,'.repeat(9999)}1]}`],
    ['a list of objects', '{"list":[{"constructor":1,"__proto__":{}}]}'],
  ])('causes no internal error through its variables: %s', async (_case, variables) => {
    const query = 'query ($list: [String!]) { domains(domains: $list) { status } }';
    const body = `{"query":${JSON.stringify(query)},"variables":${variables}}`;
    const response = await gateway.fetch('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    const text = await response.text();
    expect([response.status, text.length < 5000]).toEqual([200, true]);
    expect(codesOf(JSON.parse(text)).every((code) => code === 'invalid_query')).toBe(true);
  });
});

const long = 'x'.repeat(1000);
const invalidRequests = [
  [
    'literals',
    `{ ${times(30, (index) => `a${index}: domain(name: ${index}, tld: "${long}") { id }`)} }`,
    {},
  ],
  ['a long name of a field', `{ ${long} }`, {}],
  ['a long name of a fragment', `{ ...${long} }`, {}],
  [
    'a long string in place of an Int',
    `{ domain(name: "a.example", maxAge: "${long}") { id } }`,
    {},
  ],
  ['an invalid character', `{ domain(name: "a.example") { id } ${long} \u0000`, {}],
  ['an unclosed block string', `{ domain(name: """${long}`, {}],
  ['variables', `query (${times(40, (index) => `$v${index}: Int!`)}) { __typename }`, { v0: long }],
  [
    'entries of a variable',
    'query ($list: [String!]) { domains(domains: $list) { id } }',
    { list: Array.from({ length: 30 }, () => [long]) },
  ],
  ['a long name', `{ domain(name: "${long}.example") { id } }`, {}],
  [
    'many invalid names',
    `{ ${times(25, (index) => `a${index}: domain(name: "${long} ${index}") { id }`)} }`,
    {},
  ],
] as const;

/** Documents with a misspelled name of the schema. */
const misspelled: readonly [string, string, Record<string, unknown>][] = [
  ['a field', '{ domian(name: "a.example") { id } }', {}],
  ['a nested field', `{ ${one} { availabel } }`, {}],
  ['an argument', '{ domain(nam: "a.example") { id } }', {}],
  ['a type', '{ ... on Domian { id } }', {}],
  ['a type of a variable', 'query ($v: Strin) { domain(name: $v) { id } }', {}],
  ['a directive argument', `{ ${one} { id @skip(iff: true) } }`, {}],
];

describe('GraphQL errors', () => {
  it.each(invalidRequests)(
    'are at most ten, each of at most 200 characters: %s',
    async (_case, query, variables) => {
      const { errors } = await gateway.graphql(query, variables);
      expect(errors.length).toBeGreaterThan(0);
      expect(errors.length).toBeLessThanOrEqual(10);
      expect(Math.max(...errors.map(({ message }: Json) => message.length))).toBeLessThanOrEqual(
        200,
      );
      expectNoLookup();
    },
  );

  it.each(misspelled)('suggest names of the schema: %s', async (_case, query, variables) => {
    const { errors } = await gateway.graphql(query, variables);
    expect(errors[0].message).toMatch(/Did you mean .+\?$/);
    expectNoLookup();
  });

  it.each([
    ...misspelled,
    ['a variable', 'query ($name: String!) { domain(name: $name) { id } }', { name: ['nmae'] }],
  ])('contain no suggestions if introspection is off: %s', async (_case, query, variables) => {
    await using closed = await startGateway({ env: { INTROSPECTION: 'off' } });
    const result = await closed.graphql(query, variables);
    expect(result.errors.length).toBeGreaterThan(0);
    expect(JSON.stringify(result)).not.toMatch(/did you mean|suggest/i);
  });
});
