import { expect, it } from 'vitest';
import { baseSchema, schema } from '../../schema/schema.ts';
import {
  DocumentCache,
  usesBeforeCompiling,
  type CachedDocument,
} from '../../src/execution/document-cache.ts';

const createDocuments = () => new DocumentCache({ base: baseSchema, full: schema }, true);
const numbered = (index: number, length: number) =>
  `{ domain(name: "${index}${'x'.repeat(length)}") { id } }`;

/**
 * Reads documents, and `used` after each of them. Returns how many of the documents are cached at
 * the end.
 */
function cachedOf(sources: readonly string[], used: string): number {
  const documents = createDocuments();
  const tokens: number[] = [];
  documents.read(used, () => undefined);
  for (const source of sources) {
    documents.read(source, () => undefined);
    documents.read(used, (count) => tokens.push(count));
  }
  expect(tokens).toEqual([]);
  let parsed = 0;
  for (const source of sources.toReversed()) documents.read(source, () => (parsed += 1));
  return sources.length - parsed;
}

it('caches documents of at most 300,000 characters in total, and retains those in use', () => {
  const cached = cachedOf(
    Array.from({ length: 100 }, (_, index) => numbered(index, 8000)),
    '{ account { name } }',
  );
  expect(cached).toBeGreaterThan(15);
  expect(cached * 8000).toBeLessThanOrEqual(300_000);
});

it('caches at most 500 documents, and none of more than 8,192 characters', () => {
  const sources = Array.from({ length: 600 }, (_, index) => numbered(index, 1));
  expect(cachedOf(sources, '{ account { name } }')).toBeLessThan(500);
  expect(cachedOf([numbered(1, 8200)], '{ account { name } }')).toBe(0);
});

/** Uses an operation until just before it is compiled. */
function useOften(read: CachedDocument, operationName?: string): void {
  for (let use = 0; use < usesBeforeCompiling; use += 1)
    expect(read.operation(operationName)?.compiled()).toBeUndefined();
}

const compiles = (source: string, operationName?: string) => {
  const read = createDocuments().read(source, () => undefined);
  expect(read.errors).toEqual([]);
  useOften(read, operationName);
  return read.operation(operationName)?.compiled() !== undefined;
};

it.each([
  '{ domain(name: "bücher.example") { available rdap { handle } } }',
  'query ($name: String!) { domain(name: $name) { ...F } } fragment F on Domain { id }',
  '{ node(id: "rdap:taken.test") { id ... on Domain { tld } } }',
])('compiles a query that is used often: %s', (source) => {
  expect(compiles(source)).toBe(true);
});

const doubled = Array.from(
  { length: 40 },
  (_, index) => `fragment f${index} on Domain { ...f${index + 1} ...f${index + 1} }`,
).join(' ');

it.each([
  ['subscriptions', 'subscription { availability(domains: ["a.test"]) { domain } }'],
  ['@defer', '{ domain(name: "a.test") { id ... @defer { available } } }'],
  [
    '@skip and @include',
    'query ($a: Boolean!) { domain(name: "a.test") { id @skip(if: $a) domain @include(if: $a) } }',
  ],
  ['introspection', '{ __type(name: "Domain") { name } }'],
  ['the alias __proto__', '{ __proto__: domain(name: "a.test") { id } }'],
  ['the variable __proto__', 'query ($__proto__: [ID!]!) { nodes(ids: $__proto__) { id } }'],
  ['strings that could be code', '{ domain(name: "a(b)") { id } }'],
  [
    'fragments that double 40 times',
    `{ domain(name: "a.test") { ...f0 } } ${doubled} fragment f40 on Domain { id }`,
  ],
  [
    'more than 120 fields',
    `{ ${Array.from({ length: 25 }, (_, index) => `a${index}: domain(name: "a.test") { id name tld source reason }`).join(' ')} }`,
  ],
])('does not compile %s', (_case, source) => {
  expect(compiles(source)).toBe(false);
});

it('compiles each operation of a document by its name', () => {
  const read = createDocuments().read(
    'query A { account { name } } query B { domain(name: "a.test") { id } }',
    () => undefined,
  );
  for (const name of ['A', 'B']) useOften(read, name);
  expect(read.operation('A')?.compiled()).not.toBe(read.operation('B')?.compiled());
  expect(read.operation('A')?.compiled()).toBe(read.operation('A')?.compiled());
});
