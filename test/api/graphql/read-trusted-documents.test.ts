import { hash } from 'node:crypto';
import { expect, it } from 'vitest';
import { schema } from '../../../src/app/schema.ts';
import { readTrustedDocuments } from '../../../src/api/graphql/read-trusted-documents.ts';

const first = 'query First { domain(name: "a.test") { ...Row } } fragment Row on Domain { domain }';
const second = 'subscription Second { availability(domains: []) { tld } }';
const sha256 = (text: string) => hash('sha256', text);

const read = (source: string | object) =>
  readTrustedDocuments(typeof source === 'string' ? source : JSON.stringify(source), schema);

const manifest = (operations: unknown) => ({
  format: 'apollo-persisted-query-manifest',
  version: 1,
  operations,
});

it.each(
  Object.entries({
    'an Apollo manifest': manifest([
      { id: sha256(first), name: 'First', type: 'query', body: first },
      { id: 'two', name: 'Second', type: 'subscription', body: second },
    ]),
    'a JSON object of documents by identifier': { [sha256(first)]: first, two: second },
    'a file with a byte order mark': `\uFEFF${JSON.stringify({ [sha256(first)]: first, two: second }, undefined, 2)}`,
  }),
)('reads %s', (_format, source) => {
  expect(read(source)).toEqual([
    { ids: [sha256(first)], name: 'First', text: first },
    { ids: ['two', sha256(second)], name: 'Second', text: second },
  ]);
});

it('reads each operation of a GraphQL file with the fragments that it uses', () => {
  const documents = read(`# a page\n${first} ${second} fragment Unused on Domain { tld }`);
  expect(documents.map(({ name, text }) => [name, text.match(/\b(?:fragment) (\w+)/g)])).toEqual([
    ['First', ['fragment Row']],
    ['Second', null],
  ]);
  expect(documents.map(({ ids }) => ids)).toEqual(documents.map(({ text }) => [sha256(text)]));
});

it('reads a document without an operation name under its identifier', () => {
  expect(read({ one: '{ __typename }' })).toMatchObject([{ name: 'one' }]);
});

const many = Array.from({ length: 201 }, (_, index) => [`id${index}`, '{ __typename }']);

it.each<[string, string | object]>([
  ['Line 1: Syntax Error: Unexpected <EOF>.', ''],
  ['The file contains no operation.', {}],
  ['The file contains no operation.', 'fragment Row on Domain { tld }'],
  ['An operation has no name. Name each operation.', '{ account { name } }'],
  ['Two operations have the name A.', 'query A { __typename } query A { account { name } }'],
  ['Line 2: Syntax Error: Expected Name, found "(".', 'query A {\n(}'],
  ['The file is not valid JSON: ', '{"one": '],
  ['The JSON must be an Apollo manifest, or an object of documents by identifier.', { one: 1 }],
  ['The JSON must be an Apollo manifest, or an object of documents by identifier.', '[]'],
  [
    "operations.0.body is not as in version 1 of Apollo's persisted query manifest.",
    manifest([{ id: 'one' }]),
  ],
  [
    'Operation First is not valid: Cannot query field "nothing" on type "Domain".',
    { one: first.replace('{ domain }', '{ nothing }') },
  ],
  [
    'Operation First is not valid: Syntax Error: Expected Name, found <EOF>.',
    { one: first.slice(0, -1) },
  ],
  ['Operation A is not valid: Unknown fragment "Row".', 'query A { domain(name: "a") { ...Row } }'],
  [
    'Operation Large is not valid: The document has more than 50 root fields. Split it.',
    `query Large { ${Array.from({ length: 51 }, (_, index) => `a${index}: __typename`).join(' ')} }`,
  ],
  ['Document "one" has 2 operations; list each separately.', { one: `${first} ${second}` }],
  [
    'Document "one" has 0 operations; list each separately.',
    { one: 'fragment Row on Domain { tld }' },
  ],
  [
    'Two documents have the identifier "one".',
    manifest([
      { id: 'one', body: first },
      { id: 'one', body: second },
    ]),
  ],
  ['The file has 201 documents; the maximum is 200.', Object.fromEntries(many)],
  [
    'The documents have more than 262144 characters in total.',
    { one: `#${'x'.repeat(262_144)}\n{ __typename }` },
  ],
])('rejects a file that is not valid: %s', (message, source) => {
  expect(() => read(source)).toThrow(message);
});
