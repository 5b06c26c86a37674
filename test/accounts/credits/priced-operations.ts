import {
  bulk,
  events,
  get,
  lines,
  parts,
  type SendRequest,
} from '../../support/requests/paid-calls.ts';
import { tlds } from '../../support/gateways/metered-gateway.ts';

/** Returns distinct names under `.example`. */
export const names = (count: number, label = 'n') =>
  Array.from({ length: count }, (_, index) => `${label}${index}.example`);
const search =
  'query ($name: String, $tlds: [String!]) { domains(name: $name, tlds: $tlds) { available } }';
const list = 'query ($domains: [String!]) { domains(domains: $domains) { available } }';
const records =
  'query ($domains: [String!]) { domains(domains: $domains) { domain rdap { handle } } }';
const rows =
  'subscription ($domains: [String!]) { availability(domains: $domains) { domain available } }';

const someLists =
  'a: domains(domains: ["a.example", "b.example"]) { status } b: domains(domains: ["c.example", "d.example"]) { status }';
const allOfThem =
  'all: domains(domains: ["a.example", "b.example", "c.example", "d.example"]) { status }';

type PricedOperation = {
  /** The credits that are requested. */
  readonly price: number;
  /** The credits that are charged if names fail. */
  readonly charged?: number;
} & (
  | { readonly send: SendRequest }
  | { readonly query: string; readonly variables?: Record<string, unknown> }
);

/** The prices are numbers, so that a change of a price shows here. All other tests read the table. */
export const operations: Readonly<Record<string, PricedOperation>> = {
  // One name
  'a name': { price: 1, send: get('/v1/status?domain=a.example') },
  'a registered name': { price: 1, send: get('/v1/status?domain=taken.example') },
  'a name whose registry fails': {
    price: 1,
    charged: 0,
    send: get('/v1/status?domain=down.example'),
  },
  'a record': { price: 2, send: get('/v1/rdap?domain=taken.example') },
  'the record of an unregistered name': { price: 2, send: get('/v1/rdap?domain=a.example') },
  'a record whose registry fails': {
    price: 2,
    charged: 0,
    send: get('/v1/rdap?domain=down.example'),
  },
  'a name under .test': { price: 0, send: get('/v1/status?domain=taken.test') },
  'a record under .test': { price: 0, send: get('/v1/rdap?domain=taken.shop.test') },
  'a TLD without a registry': { price: 0, send: get('/v1/status?domain=a.nowhere') },
  'a name in GraphQL': { price: 1, query: '{ domain(name: "a", tld: "example") { available } }' },
  'a record in GraphQL': {
    price: 2,
    query: '{ domain(name: "taken.example") { rdap { handle } } }',
  },
  'a record that fails in GraphQL': {
    price: 2,
    charged: 0,
    query: '{ domain(name: "down.example") { available rdap { handle } } }',
  },
  "only the problem of a registrar's record": {
    price: 2,
    query: '{ domain(name: "taken.example") { registrarProblem { code } } }',
  },
  'introspection only': { price: 0, query: '{ __typename __schema { queryType { name } } }' },
  'the account': { price: 0, query: '{ account { creditsRemaining } }' },
  // Ids
  'a name by its id': {
    price: 1,
    query: '{ node(id: "a.example") { ... on Domain { available } } }',
  },
  'a record by the id of its name': {
    price: 2,
    query: '{ node(id: "a.example") { ... on Node { ... on Domain { rdap { id } } } } }',
  },
  'a record by its own id': { price: 2, query: '{ node(id: "rdap:taken.example") { id } }' },
  'the record of an unregistered name by an id': {
    price: 2,
    query: '{ nodes(ids: ["rdap:a.example"]) { id } }',
  },
  'a record by its id, whose registry fails': {
    price: 2,
    charged: 0,
    query: '{ nodes(ids: ["rdap:down.example"]) { id } }',
  },
  'one id in a list': {
    price: 1,
    query: '{ nodes(ids: ["a.example", "a.example"]) { ... on Domain { available } } }',
  },
  'three names by their ids': {
    price: 3,
    charged: 2,
    query:
      '{ nodes(ids: ["a.example", "b.example", "down.example"]) { ... on Domain { available } } }',
  },
  'a name, its record and its registrar’s record by their ids': {
    price: 2,
    query:
      '{ nodes(ids: ["registrar:a.example", "a.example", "rdap:a.example"]) { id ... on Domain { available } } }',
  },
  'two names and two records by ids': {
    price: 6,
    query:
      '{ nodes(ids: ["a.example", "b.example", "rdap:c.example", "rdap:d.example"]) { id ... on Domain { available } } }',
  },
  'a name through every field that takes one': {
    price: 1,
    query:
      '{ domain(name: "a.example") { status } domains(domains: ["a.example"]) { status } node(id: "a.example") { ... on Domain { status } } nodes(ids: ["a.example", "tld:example"]) { ... on Domain { status } } }',
  },
  'a name, and whether a TLD has RDAP': {
    price: 1,
    query:
      '{ nodes(ids: ["a.example", "tld:example"]) { ... on Domain { available } ... on Node { ... on Tld { rdap } } } }',
  },
  'ids of TLDs, of invalid names, under .test, and without an object': {
    price: 0,
    query:
      '{ nodes( ids: [ "tld:example" "invalid:a b" "invalid:a.example" "rdap:taken.test" "A.example" "rdap:" "x" "a.nowhere" ] ) { id ... on Domain { rdap { id } } } }',
  },
  // Aliases, fragments, directives, variables
  'one name under two aliases': {
    price: 1,
    query:
      '{ a: domain(name: "a.example") { status } b: domain(name: "A.Example.") { available } }',
  },
  'two names, one of which fails': {
    price: 2,
    charged: 1,
    query: '{ a: domain(name: "a.example") { status } b: domain(name: "down.example") { status } }',
  },
  'a name as a verdict and as a record': {
    price: 2,
    query:
      '{ a: domain(name: "a.example") { status } b: domain(name: "a.example") { rdap { handle } } }',
  },
  'a record in a fragment of a fragment': {
    price: 2,
    query:
      '{ domain(name: "a.example") { ...Outer } } fragment Outer on Domain { ...Inner } fragment Inner on Domain { rdap { handle } }',
  },
  'a record in a second selection of the field': {
    price: 2,
    query:
      '{ domain(name: "a.example") { status } ... { domain(name: "a.example") { rdap { handle } } } }',
  },
  'a record excluded by @include': {
    price: 1,
    query:
      'query ($withRecord: Boolean!) { domain(name: "a.example") { status rdap @include(if: $withRecord) { handle } } }',
    variables: { withRecord: false },
  },
  'a fragment excluded by @skip in one place and used in another': {
    price: 3,
    query:
      'query ($no: Boolean!) { a: domain(name: "a.example") { status ...R @skip(if: $no) } b: domain(name: "b.example") { ...R } } fragment R on Domain { rdap { handle } }',
    variables: { no: true },
  },
  'a field excluded by @skip': {
    price: 1,
    query:
      '{ domain(name: "a.example") { status } b: domain(name: "b.example") @skip(if: true) { rdap { handle } } }',
  },
  'variables and their defaults': {
    price: 3,
    query:
      'query ($one: String! = "a.example", $many: [String!] = ["b.example", "c.example"]) { domain(name: $one) { status } domains(domains: $many) { status } }',
    variables: {},
  },
  'one of two operations in a document': {
    price: 1,
    send: async (customer) => {
      const query =
        'query One { domain(name: "a.example") { status } } query Two { domain(name: "b.example") { rdap { handle } } }';
      const answer = await customer.post('/graphql', { query, operationName: 'One' });
      return { answer, cost: (await answer.json()).extensions.cost };
    },
  },
  'a field with an invalid name, and one with a valid name': {
    price: 1,
    query: '{ a: domain(name: "no name") { status } b: domain(name: "b.example") { status } }',
  },
  // Searches
  'a search under 50 TLDs': { price: 1, send: get(`/v1/status?name=s&tlds=${tlds(50).join(',')}`) },
  'a search under 51 TLDs': { price: 2, send: get(`/v1/status?name=s&tlds=${tlds(51).join(',')}`) },
  'a search under 51 TLDs in GraphQL': {
    price: 2,
    query: search,
    variables: { name: 's', tlds: tlds(51) },
  },
  'a search under 51 TLDs, one of which is repeated': {
    price: 2,
    query: search,
    variables: { name: 's', tlds: [...tlds(51), '.TLD0'] },
  },
  'a search under 50 TLDs and some free ones': {
    price: 1,
    query: search,
    variables: { name: 's', tlds: [...tlds(50), 'test', 'nowhere', 'a b'] },
  },
  'a search whose registries all fail': {
    price: 2,
    charged: 0,
    query: search,
    variables: { name: 'down', tlds: tlds(60) },
  },
  'a search, and one of its names as a record': {
    price: 3,
    query:
      'query ($tlds: [String!]) { domains(name: "s", tlds: $tlds) { status } domain(name: "s.tld0") { rdap { handle } } }',
    variables: { tlds: tlds(11) },
  },

  'a search under 51 TLDs, one of which fails': {
    price: 2,
    charged: 1,
    query: search,
    variables: { name: 'part', tlds: tlds(51) },
  },
  'a search under 101 TLDs': {
    price: 3,
    query: search,
    variables: { name: 's', tlds: [...tlds(100), 'example'] },
  },
  'a search under free TLDs only': {
    price: 0,
    query: search,
    variables: { name: 'a', tlds: ['test', 'shop.test', 'nowhere'] },
  },
  'a search for records, one of which fails': {
    price: 20,
    charged: 18,
    query: 'query ($tlds: [String!]) { domains(name: "part", tlds: $tlds) { rdap { handle } } }',
    variables: { tlds: tlds(10) },
  },
  'one search under two aliases': {
    price: 1,
    query:
      '{ a: domains(name: "x", tlds: ["tld0", "tld1"]) { available } b: domains(name: "x", tlds: ["tld0", "tld1"]) { status } }',
  },
  'searches for two labels, one of which fails': {
    price: 2,
    charged: 1,
    query:
      '{ a: domains(name: "x", tlds: ["tld0", "tld1"]) { available } b: domains(name: "down", tlds: ["tld0", "tld1"]) { status } }',
  },
  'two searches that share names': {
    price: 2,
    query:
      'query ($some: [String!], $more: [String!]) { a: domains(name: "x", tlds: $some) { available } b: domains(name: "x", tlds: $more) { status } }',
    variables: { some: tlds(50), more: tlds(100) },
  },

  // Lists
  'a list of two': { price: 2, send: get('/v1/status?domain=a.example,b.example') },
  'a list of three': { price: 3, send: get('/v1/status?domain=a.example,b.example,c.example') },
  'a list of four, one of which fails': {
    price: 3,
    send: get('/v1/status?domain=a.example,b.example,c.example,down.example'),
  },
  'a list of three, two of which fail': {
    price: 3,
    charged: 1,
    send: get('/v1/status?domain=a.example,down1.example,down2.example'),
  },
  'a list with duplicates, invalid names and free ones': {
    price: 3,
    query: list,
    variables: {
      domains: [
        'a.example',
        ' A.example',
        'a.example.',
        'b.example',
        'c.example',
        'no name',
        'a_b.example',
        'taken.test',
        'a.nowhere',
      ],
    },
  },
  'a list of 100': { price: 51, send: bulk({ domains: names(100) }) },
  'a list of 100, all of which fail': {
    price: 51,
    charged: 0,
    send: bulk({ domains: names(100, 'down') }),
  },
  'pairs of names and TLDs': {
    price: 3,
    send: bulk({ names: ['a', 'b'], tlds: ['tld0', 'tld1'] }),
  },
  'a list of records, one of which fails': {
    price: 6,
    charged: 4,
    query: records,
    variables: { domains: ['a.example', 'b.example', 'down.example'] },
  },
  'two lists that share a name': {
    price: 4,
    query:
      '{ a: domains(domains: ["a.example", "b.example"]) { status } b: domains(domains: ["b.example", "c.example", "d.example"]) { status } }',
  },

  'a list of free names and one other': {
    price: 1,
    query: list,
    variables: { domains: ['a.example', 'a.test', 'b.test'] },
  },
  'a list, and one of its names requested singly': {
    price: 3,
    charged: 2,
    query:
      '{ domains(domains: ["down.example", "b.example", "c.example"]) { status } domain(name: "down.example") { status } }',
  },
  'a list of three names, one of them as a record elsewhere': {
    price: 4,
    query:
      '{ domains(domains: ["a.example", "b.example", "c.example"]) { status } domain(name: "a.example") { rdap { handle } } }',
  },
  'two lists without a common name': { price: 4, query: `{ ${someLists} }` },
  'lists whose names another list has, too': { price: 4, query: `{ ${someLists} ${allOfThem} }` },
  'the same lists in another order': { price: 4, query: `{ ${allOfThem} ${someLists} }` },
  'a list and a search that share a name': {
    price: 3,
    query:
      '{ domains(name: "a", tlds: ["example", "tld1"]) { status } l: domains(domains: ["a.example", "b.example"]) { status } }',
  },

  // Completed streams
  lines: { price: 6, send: lines({ domains: names(10) }) },
  'lines, half of which fail': {
    price: 6,
    charged: 4,
    send: lines({ domains: [...names(5), ...names(5, 'down')] }),
  },
  'lines of free names': {
    price: 0,
    send: lines({ domains: ['taken.test', 'no name', 'a.nowhere'] }),
  },
  'a subscription': { price: 6, send: events(rows, { domains: names(10) }) },
  'a subscription, half of which fails': {
    price: 6,
    charged: 4,
    send: events(rows, { domains: [...names(5), ...names(5, 'down')] }),
  },
  '@defer': {
    price: 2,
    send: parts('{ domain(name: "a.example") { domain ... @defer { rdap { handle } } } }'),
  },
  '@defer on a list, one of which fails': {
    price: 6,
    charged: 4,
    send: parts(
      'query ($domains: [String!]) { domains(domains: $domains) { domain ... @defer { status rdap { handle } } } }',
      { domains: ['a.example', 'b.example', 'down.example'] },
    ),
  },
};
