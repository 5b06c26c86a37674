import * as fc from 'fast-check';
import { parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../../schema/schema.ts';
import { priceOf, type PricedField } from '../../src/accounts/prices.ts';
import { parseEntry, type ParsedName } from '../../src/domain/parsed-name.ts';
import { details } from '../../src/domain/source.ts';
import { readFieldLookups } from '../../src/http/graphql/operation/field-lookups.ts';
import {
  prepareOperation,
  type OperationSource,
} from '../../src/http/graphql/operation/operation.ts';
import { TimeSlices } from '../../src/http/request/time-slices.ts';

/** What nobody is asked about, or what the sandbox answers. */
const isFree = (name: string) => /\.(?:test|nowhere)$/.test(name);

async function fieldsOf(
  source: OperationSource,
  variables?: Record<string, unknown>,
): Promise<readonly PricedField[]> {
  const operation = prepareOperation(source)?.coerce(variables);
  return operation
    ? readFieldLookups(operation, { maxEntries: Infinity, slices: new TimeSlices() })
    : [];
}

interface Case {
  readonly operation: string;
  readonly variables?: Record<string, unknown>;
  readonly requested: number;
  /** Names that get no verdict, and what is charged then. */
  readonly silent?: readonly string[];
  readonly charged?: number;
}

const names = (count: number, suffix = 'example') =>
  Array.from({ length: count }, (_, index) => `n${index}.${suffix}`);
const tlds = (count: number) => Array.from({ length: count }, (_, index) => `tld${index}`);
const search = `query ($name: String, $tlds: [String!]) { domains(name: $name, tlds: $tlds) { available } }`;
const records = `query ($name: String, $tlds: [String!]) { domains(name: $name, tlds: $tlds) { rdap { handle } } }`;
const list = `query ($domains: [String!]) { domains(domains: $domains) { available } }`;

const cases: Readonly<Record<string, Case>> = {
  'a single name': {
    operation: '{ domain(name: "a.example") { available } }',
    requested: 1,
    silent: ['a.example'],
    charged: 0,
  },
  'a single name with its TLD apart': {
    operation: '{ domain(name: "a", tld: "example") { status } }',
    requested: 1,
  },
  'a record': {
    operation: '{ domain(name: "a.example") { rdap { handle } } }',
    requested: 2,
    silent: ['a.example'],
    charged: 0,
  },
  'a verdict and a record of one name': {
    operation: '{ domain(name: "a.example") { available rdap { handle } } }',
    requested: 2,
  },
  'a name of .test': {
    operation: '{ domain(name: "taken.test") { rdap { handle } } }',
    requested: 0,
  },
  'a name that is none': {
    operation: '{ domain(name: "not a name") { available } }',
    requested: 0,
  },
  'a TLD that nobody serves': {
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
    silent: ['b.example'],
    charged: 2,
  },
  'a name asked singly and as a record elsewhere: once, at the dearest': {
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
  'a search under 51 TLDs, one of them silent': {
    operation: search,
    variables: { name: 'a', tlds: tlds(51) },
    requested: 2,
    silent: ['a.tld7'],
    charged: 1,
  },
  'a search under 100 TLDs, all silent': {
    operation: search,
    variables: { name: 'a', tlds: tlds(100) },
    requested: 2,
    silent: tlds(100).map((tld) => `a.${tld}`),
    charged: 0,
  },
  'a search under 101 TLDs': {
    operation: search,
    variables: { name: 'a', tlds: tlds(101) },
    requested: 3,
  },
  'a search under 50 TLDs, one that is free and one that is none': {
    operation: search,
    variables: { name: 'a', tlds: [...tlds(50), 'test', 'not a tld'] },
    requested: 1,
  },
  'a search under free TLDs alone': {
    operation: search,
    variables: { name: 'a', tlds: ['test', 'shop.test', 'nowhere'] },
    requested: 0,
  },
  'a search under equal TLDs, written otherwise': {
    operation: search,
    variables: { name: 'A', tlds: ['.Example', 'example', ' example'] },
    requested: 1,
  },
  'a search for records, one of them silent': {
    operation: records,
    variables: { name: 'a', tlds: tlds(10) },
    requested: 20,
    silent: ['a.tld3'],
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
    silent: ['y.aa', 'y.bb'],
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
    silent: ['x.tld0'],
    charged: 1,
  },
  'a list of one name': { operation: list, variables: { domains: names(1) }, requested: 1 },
  'a list of two names, one silent': {
    operation: list,
    variables: { domains: names(2) },
    requested: 2,
    silent: ['n1.example'],
    charged: 1,
  },
  'a list of three names': {
    operation: list,
    variables: { domains: names(3) },
    requested: 3,
    silent: ['n0.example'],
    charged: 2,
  },
  'a list of 500 names, all silent': {
    operation: list,
    variables: { domains: names(500) },
    requested: 251,
    silent: names(500),
    charged: 0,
  },
  'a list with duplicates, free names and entries that are none': {
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
  'a list of which one name costs': {
    operation: list,
    variables: { domains: ['a.example', ...names(9, 'test')] },
    requested: 1,
  },
  'a list, and one of its names asked singly': {
    operation:
      '{ domains(domains: ["a.example", "b.example", "c.example"]) { status } domain(name: "a.example") { status } }',
    requested: 3,
    silent: ['a.example'],
    charged: 2,
  },
  'a list of three names, one of them as a record elsewhere': {
    operation:
      '{ domains(domains: ["a.example", "b.example", "c.example"]) { status } domain(name: "a.example") { rdap { handle } } }',
    requested: 4,
  },
  'two lists that share no name': {
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
    silent: ['a.example', 'b.example'],
    charged: 0,
  },
  'a field that @skip leaves out': {
    operation:
      'query ($no: Boolean!) { domain(name: "a.example") @skip(if: $no) { status } b: domain(name: "b.example") { status } }',
    variables: { no: true },
    requested: 1,
  },
  'a record that @include leaves out': {
    operation:
      'query ($whole: Boolean!) { domain(name: "a.example") { status rdap @include(if: $whole) { handle } } }',
    variables: { whole: false },
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
  'a subscription cut off half way': {
    operation:
      'subscription ($domains: [String!]) { availability(domains: $domains) { available } }',
    variables: { domains: names(10) },
    requested: 6,
    silent: names(10).slice(5),
    charged: 4,
  },
  'a subscription to records cut off half way': {
    operation:
      'subscription ($domains: [String!]) { availability(domains: $domains) { rdap { handle } } }',
    variables: { domains: names(10) },
    requested: 20,
    silent: names(10).slice(5),
    charged: 10,
  },
};

describe('what an operation costs', () => {
  it.each(Object.entries(cases))(
    '%s',
    async (_, { operation, variables = {}, requested, silent = [], charged = requested }) => {
      const price = priceOf(
        await fieldsOf({ schema, document: parse(operation) }, variables),
        isFree,
      );
      expect(price.requested).toBe(requested);
      expect(price.charged((name) => !silent.includes(name))).toBe(charged);
    },
  );

  it('is never more than was requested, nothing without a verdict, and the same when everything is asked twice', () => {
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

const asked = fc
  .constantFrom('a', 'b', 'c', 'd', 'e', 'f')
  .map((label): ParsedName => parseEntry(`${label}.example`));
const field: fc.Arbitrary<PricedField> = fc.record({
  names: fc.uniqueArray(asked, { minLength: 1, selector: ({ domain }) => domain }),
  detail: fc.constantFrom(...details),
  priority: fc.constantFrom('search' as const, 'bulk' as const),
});
