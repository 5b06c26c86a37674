import * as fc from 'fast-check';
import { parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../../src/app/schema.ts';
import { priceOf, type PricedField } from '../../src/execution/charging/prices.ts';
import { parseEntry, type ParsedName } from '../../src/domain/names/parsed-name.ts';
import { details } from '../../src/domain/source.ts';
import { readFieldLookups } from '../../src/execution/field-lookups.ts';
import { PreparedOperation, type OperationSource } from '../../src/execution/operation.ts';
import { TimeSlices } from '../../src/execution/time-slices.ts';

/** Names without a registry, or of the sandbox. */
const isFree = (name: string) => /\.(?:test|nowhere)$/.test(name);

function fieldsOf(
  source: OperationSource,
  variables?: Record<string, unknown>,
): Promise<readonly PricedField[]> {
  const operation = new PreparedOperation(source).coerce(variables);
  return readFieldLookups(operation, {
    maxEntries: Infinity,
    extensions: [],
    slices: new TimeSlices(),
  });
}

interface Case {
  readonly operation: string;
  readonly variables?: Record<string, unknown>;
  readonly requested: number;
  /** Names without a verdict, for which `charged` is the resulting charge. */
  readonly unresolved?: readonly string[];
  readonly charged?: number;
}

const names = (count: number, suffix = 'example') =>
  Array.from({ length: count }, (_, index) => `n${index}.${suffix}`);
const tlds = (count: number) => Array.from({ length: count }, (_, index) => `tld${index}`);
const search = `query ($name: String, $tlds: [String!]) { domains(name: $name, tlds: $tlds) { available } }`;
const records = `query ($name: String, $tlds: [String!]) { domains(name: $name, tlds: $tlds) { rdap { handle } } }`;
const list = `query ($domains: [String!]) { domains(domains: $domains) { available } }`;

/** The prices as numbers, so that a change of a price shows here. All other tests read the table. */
const cases: Readonly<Record<string, Case>> = {
  'a single name': {
    operation: '{ domain(name: "a.example") { available } }',
    requested: 1,
    unresolved: ['a.example'],
    charged: 0,
  },
  'a single name with its TLD apart': {
    operation: '{ domain(name: "a", tld: "example") { status } }',
    requested: 1,
  },
  'a record': {
    operation: '{ domain(name: "a.example") { rdap { handle } } }',
    requested: 2,
    unresolved: ['a.example'],
    charged: 0,
  },
  'a verdict and a record of one name': {
    operation: '{ domain(name: "a.example") { available rdap { handle } } }',
    requested: 2,
  },
  'a name under .test': {
    operation: '{ domain(name: "taken.test") { rdap { handle } } }',
    requested: 0,
  },
  'an invalid name': { operation: '{ domain(name: "not a name") { available } }', requested: 0 },
  'a TLD without a registry': {
    operation: '{ domain(name: "a.nowhere") { available } }',
    requested: 0,
  },
  introspection: { operation: '{ __schema { types { name } } __typename }', requested: 0 },
  'the same name twice, under aliases': {
    operation:
      '{ a: domain(name: "a.example") { available } b: domain(name: "A.example.") { status } }',
    requested: 1,
  },
  'three single names': {
    operation:
      '{ a: domain(name: "a.example") { status } b: domain(name: "b.example") { status } c: domain(name: "c.example") { status } }',
    requested: 3,
    unresolved: ['b.example'],
    charged: 2,
  },
  'a name requested singly and as a record elsewhere: once, at the higher price': {
    operation:
      '{ a: domain(name: "a.example") { status } b: domain(name: "a.example") { rdap { handle } } }',
    requested: 2,
  },
  'a search under 1 TLD': {
    operation: search,
    variables: { name: 'a', tlds: tlds(1) },
    requested: 1,
  },
  'a search under 50 TLDs': {
    operation: search,
    variables: { name: 'a', tlds: tlds(50) },
    requested: 1,
  },
  'a search under 51 TLDs, one without a verdict': {
    operation: search,
    variables: { name: 'a', tlds: tlds(51) },
    requested: 2,
    unresolved: ['a.tld7'],
    charged: 1,
  },
  'a search under 100 TLDs, all without a verdict': {
    operation: search,
    variables: { name: 'a', tlds: tlds(100) },
    requested: 2,
    unresolved: tlds(100).map((tld) => `a.${tld}`),
    charged: 0,
  },
  'a search under 101 TLDs': {
    operation: search,
    variables: { name: 'a', tlds: tlds(101) },
    requested: 3,
  },
  'a search under 50 TLDs, plus a free one and an invalid one': {
    operation: search,
    variables: { name: 'a', tlds: [...tlds(50), 'test', 'not a tld'] },
    requested: 1,
  },
  'a search under free TLDs only': {
    operation: search,
    variables: { name: 'a', tlds: ['test', 'shop.test', 'nowhere'] },
    requested: 0,
  },
  'a search under equal TLDs in different spellings': {
    operation: search,
    variables: { name: 'A', tlds: ['.Example', 'example', ' example'] },
    requested: 1,
  },
  'a search for records, one without a verdict': {
    operation: records,
    variables: { name: 'a', tlds: tlds(10) },
    requested: 20,
    unresolved: ['a.tld3'],
    charged: 18,
  },
  'one search under two aliases': {
    operation:
      '{ a: domains(name: "x", tlds: ["aa", "bb"]) { available } b: domains(name: "x", tlds: ["aa", "bb"]) { status } }',
    requested: 1,
  },
  'two searches for two labels': {
    operation:
      '{ a: domains(name: "x", tlds: ["aa", "bb"]) { available } b: domains(name: "y", tlds: ["aa", "bb"]) { status } }',
    requested: 2,
    unresolved: ['y.aa', 'y.bb'],
    charged: 1,
  },
  'two searches that share names': {
    operation: `query ($some: [String!], $more: [String!]) {
      a: domains(name: "x", tlds: $some) { available } b: domains(name: "x", tlds: $more) { status } }`,
    variables: { some: tlds(50), more: tlds(100) },
    requested: 2,
  },
  'a search, and one of its names as a record': {
    operation: `query ($tlds: [String!]) { domains(name: "x", tlds: $tlds) { available } domain(name: "x.tld0") { rdap { handle } } }`,
    variables: { tlds: tlds(51) },
    requested: 3,
    unresolved: ['x.tld0'],
    charged: 1,
  },
  'a list of one name': { operation: list, variables: { domains: names(1) }, requested: 1 },
  'a list of two names, one without a verdict': {
    operation: list,
    variables: { domains: names(2) },
    requested: 2,
    unresolved: ['n1.example'],
    charged: 1,
  },
  'a list of three names': {
    operation: list,
    variables: { domains: names(3) },
    requested: 3,
    unresolved: ['n0.example'],
    charged: 2,
  },
  'a list of 500 names, all without a verdict': {
    operation: list,
    variables: { domains: names(500) },
    requested: 251,
    unresolved: names(500),
    charged: 0,
  },
  'a list with duplicates, free names and invalid entries': {
    operation: list,
    variables: {
      domains: [
        'a.example',
        'A.EXAMPLE',
        'b.example',
        'taken.test',
        'a.nowhere',
        'a_b',
        '',
        'c.example',
        'd.example',
      ],
    },
    requested: 3,
  },
  'a list of free names and one other': {
    operation: list,
    variables: { domains: ['a.example', ...names(9, 'test')] },
    requested: 1,
  },
  'a list, and one of its names requested singly': {
    operation:
      '{ domains(domains: ["a.example", "b.example", "c.example"]) { status } domain(name: "a.example") { status } }',
    requested: 3,
    unresolved: ['a.example'],
    charged: 2,
  },
  'a list of three names, one of them as a record elsewhere': {
    operation:
      '{ domains(domains: ["a.example", "b.example", "c.example"]) { status } domain(name: "a.example") { rdap { handle } } }',
    requested: 4,
  },
  'two lists without a common name': {
    operation:
      '{ a: domains(domains: ["a.example", "b.example"]) { status } b: domains(domains: ["c.example", "d.example"]) { status } }',
    requested: 4,
  },
  'a list and a search that share a name': {
    operation:
      '{ domains(name: "a", tlds: ["example", "aa"]) { status } l: domains(domains: ["a.example", "b.example"]) { status } }',
    requested: 3,
  },
  'a list of records': {
    operation: '{ domains(domains: ["a.example", "b.example", "c.test"]) { rdap { handle } } }',
    requested: 4,
    unresolved: ['a.example', 'b.example'],
    charged: 0,
  },
  'a field excluded by @skip': {
    operation:
      'query ($no: Boolean!) { domain(name: "a.example") @skip(if: $no) { status } b: domain(name: "b.example") { status } }',
    variables: { no: true },
    requested: 1,
  },
  'a record excluded by @include': {
    operation:
      'query ($withRecord: Boolean!) { domain(name: "a.example") { status rdap @include(if: $withRecord) { handle } } }',
    variables: { withRecord: false },
    requested: 1,
  },
  'a record in a fragment': {
    operation:
      'query { domain(name: "a.example") { ...F } } fragment F on Domain { ... on Domain { rdap { handle } } }',
    requested: 2,
  },
  'a deferred record': {
    operation: '{ domain(name: "a.example") { ... @defer { rdap { handle } } } }',
    requested: 2,
  },
  'names from variables and their defaults': {
    operation:
      'query ($name: String! = "a.example", $b: [String!] = ["b.example"]) { domain(name: $name) { status } domains(domains: $b) { status } }',
    variables: { name: 'a.test' },
    requested: 1,
  },
  'a subscription aborted halfway': {
    operation:
      'subscription ($domains: [String!]) { availability(domains: $domains) { available } }',
    variables: { domains: names(10) },
    requested: 6,
    unresolved: names(10).slice(5),
    charged: 4,
  },
  'a subscription to records aborted halfway': {
    operation:
      'subscription ($domains: [String!]) { availability(domains: $domains) { rdap { handle } } }',
    variables: { domains: names(10) },
    requested: 20,
    unresolved: names(10).slice(5),
    charged: 10,
  },
};

describe('the price of an operation', () => {
  it.each(Object.entries(cases))(
    '%s',
    async (_, { operation, variables = {}, requested, unresolved = [], charged = requested }) => {
      const price = priceOf(
        await fieldsOf({ schema, document: parse(operation) }, variables),
        isFree,
      );
      expect(price.requested).toBe(requested);
      expect(price.charged((name) => !unresolved.includes(name))).toBe(charged);
    },
  );

  it('never exceeds the requested credits, is 0 without verdicts, and does not change if every field is repeated', () => {
    fc.assert(
      fc.property(
        fc.array(field, { maxLength: 6 }),
        fc.func(fc.boolean()),
        fc.func(fc.boolean()),
        (fields, some, more) => {
          const { requested, charged } = priceOf(fields, isFree);
          expect(charged(some)).toBeLessThanOrEqual(charged((name) => some(name) || more(name)));
          expect(charged(() => true)).toBe(requested);
          expect(charged(() => false)).toBe(0);
          expect(priceOf([...fields, ...fields], isFree).requested).toBe(requested);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('does not depend on the order of lists that share names', async () => {
    const lists = [
      'a: domains(domains: ["a.example", "b.example"])',
      'b: domains(domains: ["c.example", "d.example"])',
    ];
    const all = 'all: domains(domains: ["a.example", "b.example", "c.example", "d.example"])';
    for (const fields of [
      [all, ...lists],
      [...lists, all],
    ]) {
      const document = parse(`{ ${fields.map((field) => `${field} { status }`).join(' ')} }`);
      expect(priceOf(await fieldsOf({ schema, document }), isFree).requested).toBe(4);
    }
  });
});

const parsedName = fc
  .constantFrom('a', 'b', 'c', 'd', 'e', 'f')
  .map((label): ParsedName => parseEntry(`${label}.example`));
const field: fc.Arbitrary<PricedField> = fc.record({
  names: fc.uniqueArray(parsedName, { minLength: 1, selector: ({ domain }) => domain }),
  detail: fc.constantFrom(...details),
  priority: fc.constantFrom('search' as const, 'bulk' as const),
});
