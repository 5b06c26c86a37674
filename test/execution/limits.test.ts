import { getIntrospectionQuery } from 'graphql';
import { beforeEach, describe, expect, it } from 'vitest';
import { startFakeRegistry } from '../support/servers/fake-registry.ts';
import { forThisFile } from '../support/for-this-file.ts';
import { startGateway, type Json } from '../support/gateways/gateway.ts';
import { problemExtensions } from '../support/checks/problem-extensions.ts';

let requestsBefore: number;

const registry = await forThisFile(startFakeRegistry);
const gateway = await forThisFile(startGateway, {
  registries: { example: registry.baseUrl },
  env: { RATE_LIMIT: '0', RDAP_RATE: '0' },
});

const times = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => text(index)).join(' ');
const one = 'domain(name: "free.example", maxAge: 0)';

interface Measured {
  readonly max: number;
  /** Returns a document with so many of what is counted. */
  readonly document: (count: number) => string;
  /** The code of its other error, if any. */
  readonly otherError?: string;
}

/** Documents by what is counted in them. */
const measured: Readonly<Record<string, Measured>> = {
  tokens: {
    max: 2000,
    document: (count) =>
      `{ domains(domains: [${times(count - 12, () => '"free.example"')}]) { available } }`,
  },
  levels: {
    max: 12,
    document: (count) =>
      `{ ${one} { available ${'a { '.repeat(count - 2)} b ${'} '.repeat(count - 2)} } }`,
    otherError: 'invalid_query',
  },
  'levels through fragments': {
    max: 12,
    document: (count) => `{ ${one} { available ...f0 } } ${chain(count - 2)}`,
    otherError: 'invalid_query',
  },
  'root fields': {
    max: 50,
    document: (count) => `{ ${one} { available } ${times(count - 1, () => '__typename')} }`,
  },
  'root fields in a fragment that is spread repeatedly': { max: 50, document: spreadAtTopLevel },
  aliases: {
    max: 50,
    document: (count) => `{ ${one} { available ${times(count, (index) => `a${index}: id`)} } }`,
  },
  'aliases in fragments': {
    max: 50,
    document: (count) =>
      `{ ${one} { available ...f } } fragment f on Domain { ${times(count, (index) => `a${index}: id`)} }`,
  },
  directives: {
    max: 50,
    document: (count) => `{ ${one} { available ${times(count, () => 'id @include(if: true)')} } }`,
  },
  'directives on variables': {
    max: 50,
    document: (count) =>
      `query (${times(count, (index) => `$v${index}: Int @a`)}) { ${one} { available } }`,
    otherError: 'invalid_query',
  },
  'deferred fragments': {
    max: 10,
    document: (count) => `{ ${one} { available ${times(count, () => '... @defer { id }')} } }`,
  },
};

const rows = Object.entries(measured).map(([what, row]) => ({ what, ...row }));

/** Returns a chain of fragments, one level each. */
function chain(length: number): string {
  return (
    times(length, (index) => `fragment f${index} on Domain { a { ...f${index + 1} } }`) +
    ` fragment f${length} on Domain { id }`
  );
}

function spreadAtTopLevel(count: number): string {
  return `{ ${one} { available } ...f ...f ...f ${times((count - 1) % 3, () => '__typename')} }
    fragment f on Query { ${times(Math.floor((count - 1) / 3), () => '__typename')} }`;
}

const expectNoLookup = () => expect(registry.requests.length).toBe(requestsBefore);
const codesOf = ({ errors = [] }: Json): string[] =>
  errors.map(({ extensions }: Json) => extensions.code);

beforeEach(() => void (requestsBefore = registry.requests.length));

describe('a GraphQL document', () => {
  it.each(rows)('may have $max $what', async ({ max, document, otherError }) => {
    const response = await gateway.post(
      '/graphql',
      { query: document(max) },
      { accept: 'application/json, multipart/mixed' },
    );
    const text = await response.text();
    if (otherError === undefined) expect(text).toContain('"available":true');
    else expect(codesOf(JSON.parse(text))).toContain(otherError);
    expect(text).not.toContain('query_too_large');
  });

  it.each(rows)(
    'is rejected without a lookup with more than $max $what',
    async ({ what, max, document }) => {
      const result = await gateway.graphql(document(max + 1));
      const message = `The document has more than ${max} ${what.replace(/ (in|on|through) .*/, '')}. Split it.`;
      expect(result).toEqual({
        errors: [{ message, extensions: problemExtensions('query_too_large') }],
      });
      expectNoLookup();
    },
  );

  it('is a 400 in the GraphQL media type if it is too large', async () => {
    const response = await gateway.post(
      '/graphql',
      { query: '{a'.repeat(3000) },
      { accept: 'application/graphql-response+json' },
    );
    expect([response.status, codesOf(await response.json())]).toEqual([400, ['query_too_large']]);
  });

  it('may contain a deep introspection query', async () => {
    expect(
      codesOf(
        await gateway.graphql(getIntrospectionQuery({ inputValueDeprecation: true, oneOf: true })),
      ),
    ).toEqual([]);
    expect(
      codesOf(
        await gateway.graphql(
          `{ __schema { queryType ${'{ ofType '.repeat(20)} { name } ${'} '.repeat(20)} } }`,
        ),
      ),
    ).toEqual([]);
  });

  it('must not repeat lists of the schema inside each other', async () => {
    const query = `{ __schema { types { ${'fields { type { '.repeat(8)} name ${'} } '.repeat(8)} } } }`;
    expect(codesOf(await gateway.graphql(query))).toEqual(['invalid_query']);
  });
});
