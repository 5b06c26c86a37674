import { getIntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startFakeRegistry, type FakeRegistry } from '../../../support/fake-registry.ts';
import { startGateway, type Gateway, type Json } from '../../../support/gateway.ts';

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

/** Documents that ask for a name and use so much of something; and the code of what is at fault below the limit, if anything. */
const measured: readonly (readonly [
  what: string,
  most: number,
  document: (count: number) => string,
  otherwise?: string,
])[] = [
  [
    'tokens',
    2000,
    (count) => `{ domains(domains: [${times(count - 12, () => '"free.example"')}]) { available } }`,
  ],
  [
    'levels',
    12,
    (count) => `{ ${one} { available ${'a { '.repeat(count - 2)} b ${'} '.repeat(count - 2)} } }`,
    'invalid_query',
  ],
  [
    'levels through fragments',
    12,
    (count) => `{ ${one} { available ...f0 } } ${chain(count - 2)}`,
    'invalid_query',
  ],
  [
    'root fields',
    50,
    (count) => `{ ${one} { available } ${times(count - 1, () => '__typename')} }`,
  ],
  ['root fields in a fragment that is spread again and again', 50, spreadAtTheTop],
  [
    'aliases',
    50,
    (count) => `{ ${one} { available ${times(count, (index) => `a${index}: id`)} } }`,
  ],
  [
    'aliases in fragments',
    50,
    (count) =>
      `{ ${one} { available ...f } } fragment f on Domain { ${times(count, (index) => `a${index}: id`)} }`,
  ],
  [
    'directives',
    50,
    (count) => `{ ${one} { available ${times(count, () => 'id @include(if: true)')} } }`,
  ],
  [
    'directives on variables',
    50,
    (count) => `query (${times(count, (index) => `$v${index}: Int @a`)}) { ${one} { available } }`,
    'invalid_query',
  ],
  [
    'deferred fragments',
    10,
    (count) => `{ ${one} { available ${times(count, () => '... @defer { id }')} } }`,
  ],
];

const rows = measured.map(([what, most, document, otherwise]) => ({
  what,
  most,
  document,
  otherwise,
}));

/** Each fragment is one level, and the first within `domain`. */
function chain(length: number): string {
  return (
    times(length, (index) => `fragment f${index} on Domain { a { ...f${index + 1} } }`) +
    ` fragment f${length} on Domain { id }`
  );
}

function spreadAtTheTop(count: number): string {
  return `{ ${one} { available } ...f ...f ...f ${times((count - 1) % 3, () => '__typename')} }
    fragment f on Query { ${times(Math.floor((count - 1) / 3), () => '__typename')} }`;
}

const askedNobody = () => expect(registry.requests.length).toBe(askedBefore);
const codesOf = ({ errors = [] }: Json): string[] =>
  errors.map(({ extensions }: Json) => extensions.code);

beforeEach(() => void (askedBefore = registry.requests.length));

describe('a document', () => {
  it.each(rows)('may have $most $what', async ({ most, document, otherwise }) => {
    const answer = await gateway.post(
      '/graphql',
      { query: document(most) },
      { accept: 'application/json, multipart/mixed' },
    );
    const text = await answer.text();
    if (otherwise === undefined) expect(text).toContain('"available":true');
    else expect(codesOf(JSON.parse(text))).toContain(otherwise);
    expect(text).not.toContain('query_too_large');
  });

  it.each(rows)(
    'with more $what than $most is refused before anybody is asked',
    async ({ what, most, document }) => {
      const result = await gateway.graphql(document(most + 1));
      const message = `The document has more than ${most} ${what.replace(/ (in|on|through) .*/, '')}; split it.`;
      expect(result).toEqual({ errors: [{ message, extensions: { code: 'query_too_large' } }] });
      askedNobody();
    },
  );

  it('that is too large is a 400 where the media type says that it is GraphQL', async () => {
    const answer = await gateway.post(
      '/graphql',
      { query: '{a'.repeat(3000) },
      { accept: 'application/graphql-response+json' },
    );
    expect([answer.status, codesOf(await answer.json())]).toEqual([400, ['query_too_large']]);
  });

  it('may ask for the whole schema, however deep that is', async () => {
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

  it('may not ask for the schema over and over within itself', async () => {
    const query = `{ __schema { types { ${'fields { type { '.repeat(8)} name ${'} } '.repeat(8)} } } }`;
    expect(codesOf(await gateway.graphql(query))).toEqual(['invalid_query']);
  });
});
