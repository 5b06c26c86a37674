import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startFakeRegistry, type FakeRegistry } from '../../support/fake-registry.ts';
import { startGateway, type Gateway, type Json } from '../../support/gateway.ts';

let registry: FakeRegistry;
let gateway: Gateway;
let askedBefore: number;

beforeAll(async () => {
  registry = await startFakeRegistry();
  gateway = await startGateway({
    registries: { example: registry.baseUrl },
    env: { RATE_LIMIT: '0', RDAP_RATE: '0' },
  });
});

afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await registry.close();
});

const times = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => text(index)).join(' ');
const one = 'domain(name: "free.example", maxAge: 0)';
const askedNobody = () => expect(registry.requests.length).toBe(askedBefore);
const codesOf = ({ errors = [] }: Json): string[] =>
  errors.map(({ extensions }: Json) => extensions.code);

beforeEach(() => void (askedBefore = registry.requests.length));

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

describe('a document that is made to hurt', () => {
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
      'fragments that double 40 times at the top',
      `{ ...f0 } ${doubled('Query', '__typename')}`,
      'query_too_large',
    ],
    [
      'fragments in a circle',
      '{ ...a } fragment a on Query { ...b } fragment b on Query { ...a }',
      'invalid_query',
    ],
    [
      'a fragment within itself',
      `{ ${one} { ...a } } fragment a on Domain { id ...a }`,
      'invalid_query',
    ],
  ])('is refused before anybody is asked: %s', async (_what, query, code) => {
    const answer = await gateway.post('/graphql', { query });
    expect([answer.status, new Set(codesOf(await answer.json()))]).toEqual([200, new Set([code])]);
    askedNobody();
  });

  it('is rejected however often it is sent', async () => {
    for (let again = 0; again < 3; again += 1)
      expect(codesOf(await gateway.graphql(copies(again)))).toEqual(['query_too_large']);
    askedNobody();
  });

  it.each([
    ['list literals', (count: number) => `{ domains(domains: ${levels('[', ']', count)}) { id } }`],
    ['list literals without end', (count: number) => `{ domains(domains: ${'['.repeat(count)}`],
    [
      'object literals',
      (count: number) => `{ domain(name: ${'{a:'.repeat(count)}1${'}'.repeat(count)}) { id } }`,
    ],
    [
      'list types',
      (count: number) => `query ($v: ${'['.repeat(count)}Int${']'.repeat(count)}) { __typename }`,
    ],
    [
      'inline fragments',
      (count: number) => `{ ${'...{'.repeat(count)} __typename ${'}'.repeat(count)} }`,
    ],
    [
      'introspection',
      (count: number) =>
        `{ __schema { queryType ${'{ ofType '.repeat(count)} { name } ${'} '.repeat(count)} } }`,
    ],
  ])('is no failure of the gateway at any depth: %s', async (_what, document) => {
    for (let count = 50; count < 2100; count += 75) {
      const { errors = [] } = await gateway.graphql(document(count));
      expect([
        count,
        codesOf({ errors }).filter((code) => !/^(invalid_query|query_too_large)$/.test(code)),
      ]).toEqual([count, []]);
    }
    askedNobody();
  });

  it('is answered where it folds to little: fragments that double 40 times within a name', async () => {
    expect(await gateway.graphql(`{ ${one} { ...f0 } } ${doubled('Domain', 'available')}`)).toEqual(
      {
        data: { domain: { available: true } },
      },
    );
  });

  it('never runs as code what its strings contain', async () => {
    const marked = '__MAGIC_DATE__33a9e76d_02e0_4128_8e92_3530ad3da74d(globalThis.injected=true,0)';
    for (let again = 0; again < 3; again += 1)
      expect(await gateway.graphql(`{ node(id: "${marked}") { id } }`)).toEqual({
        data: { node: null },
      });
    expect(globalThis).not.toHaveProperty('injected');
  });

  it.each([
    ['a list of 8,000 levels', `{"list":${levels('[', ']', 8000)}}`],
    [
      'a list of 8,000 levels that nobody asked for',
      `{"list":["a.example"],"other":${levels('[', ']', 8000)}}`,
    ],
    ['an object of 8,000 levels', `{"list":${'{"a":'.repeat(8000)}1${'}'.repeat(8000)}}`],
    ['a long text', `{"list":[["${'x'.repeat(30_000)}"]]}`],
    ['10,000 numbers', `{"list":[${'1,'.repeat(9999)}1]}`],
    ['no list of texts', '{"list":[{"constructor":1,"__proto__":{}}]}'],
  ])('in its variables is no failure of the gateway: %s', async (_what, variables) => {
    const query = 'query ($list: [String!]) { domains(domains: $list) { status } }';
    const body = `{"query":${JSON.stringify(query)},"variables":${variables}}`;
    const answer = await gateway.fetch('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    const text = await answer.text();
    expect([answer.status, text.length < 5000]).toEqual([200, true]);
    expect(codesOf(JSON.parse(text)).every((code) => code === 'invalid_query')).toBe(true);
  });
});

const long = 'x'.repeat(1000);
const faulty = [
  [
    'literals',
    `{ ${times(30, (index) => `a${index}: domain(name: ${index}, tld: "${long}") { id }`)} }`,
    {},
  ],
  ['a long name of a field', `{ ${long} }`, {}],
  ['a long name of a fragment', `{ ...${long} }`, {}],
  ['a long text where none belongs', `{ domain(name: "a.example", maxAge: "${long}") { id } }`, {}],
  ['a character that is none', `{ domain(name: "a.example") { id } ${long} \u0000`, {}],
  ['a block string without end', `{ domain(name: """${long}`, {}],
  ['variables', `query (${times(40, (index) => `$v${index}: Int!`)}) { __typename }`, { v0: long }],
  [
    'entries of a variable',
    'query ($list: [String!]) { domains(domains: $list) { id } }',
    { list: Array.from({ length: 30 }, () => [long]) },
  ],
  ['a long name', `{ domain(name: "${long}.example") { id } }`, {}],
  [
    'many names that are none',
    `{ ${times(25, (index) => `a${index}: domain(name: "${long} ${index}") { id }`)} }`,
    {},
  ],
] as const;

describe('errors', () => {
  it.each(faulty)(
    'are ten at most, each of 200 characters at most: %s',
    async (_what, query, variables) => {
      const { errors } = await gateway.graphql(query, variables);
      expect(errors.length).toBeGreaterThan(0);
      expect(errors.length).toBeLessThanOrEqual(10);
      expect(Math.max(...errors.map(({ message }: Json) => message.length))).toBeLessThanOrEqual(
        200,
      );
      askedNobody();
    },
  );

  it.each([
    ['a field', '{ domian(name: "a.example") { id } }', {}],
    ['a field within', `{ ${one} { availabel } }`, {}],
    ['an argument', '{ domain(nam: "a.example") { id } }', {}],
    ['a type', '{ ... on Domian { id } }', {}],
    ['a type of a variable', 'query ($v: Strin) { domain(name: $v) { id } }', {}],
    ['a directive argument', `{ ${one} { id @skip(iff: true) } }`, {}],
    ['a directive', `{ ${one} { id @skp(if: true) } }`, {}],
    ['a variable', 'query ($name: String!) { domain(name: $name) { id } }', { name: ['nmae'] }],
  ])('tell nobody what might have been meant: %s', async (_what, query, variables) => {
    const result = await gateway.graphql(query, variables);
    expect(result.errors.length).toBeGreaterThan(0);
    expect(JSON.stringify(result)).not.toMatch(/did you mean|suggest/i);
    askedNobody();
  });
});
