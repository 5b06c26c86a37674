import { prices } from '../../../src/execution/charging/prices.ts';
import {
  bulk,
  events,
  get,
  graphql,
  lines,
  parts,
  type SendRequest,
} from '../../support/requests/paid-calls.ts';
import { tlds } from '../../support/gateways/metered-gateway.ts';

const record = prices.record(1);

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

/** Operations with their requested and charged credits. */
export const operations: readonly (readonly [
  what: string,
  requested: number,
  charged: number,
  send: SendRequest,
])[] = [
  // One name
  ['a name', 1, 1, get('/v1/status?domain=a.example')],
  ['a registered name', 1, 1, get('/v1/status?domain=taken.example')],
  ['a name whose registry fails', 1, 0, get('/v1/status?domain=down.example')],
  ['a record', record, record, get('/v1/rdap?domain=taken.example')],
  ['the record of an unregistered name', record, record, get('/v1/rdap?domain=a.example')],
  ['a record whose registry fails', record, 0, get('/v1/rdap?domain=down.example')],
  ['a name under .test', 0, 0, get('/v1/status?domain=taken.test')],
  ['a record under .test', 0, 0, get('/v1/rdap?domain=taken.shop.test')],
  ['a TLD without a registry', 0, 0, get('/v1/status?domain=a.nowhere')],
  ['a name in GraphQL', 1, 1, graphql('{ domain(name: "a", tld: "example") { available } }')],
  [
    'a record in GraphQL',
    record,
    record,
    graphql('{ domain(name: "taken.example") { rdap { handle } } }'),
  ],
  [
    'a record that fails in GraphQL',
    record,
    0,
    graphql('{ domain(name: "down.example") { available rdap { handle } } }'),
  ],
  [
    "only the problem of a registrar's record",
    record,
    record,
    graphql('{ domain(name: "taken.example") { registrarProblem { code } } }'),
  ],
  ['introspection only', 0, 0, graphql('{ __typename __schema { queryType { name } } }')],
  ['the account', 0, 0, graphql('{ account { creditsRemaining } }')],
  // Ids
  ['a name by its id', 1, 1, graphql('{ node(id: "a.example") { ... on Domain { available } } }')],
  [
    'a record by the id of its name',
    record,
    record,
    graphql('{ node(id: "a.example") { ... on Node { ... on Domain { rdap { id } } } } }'),
  ],
  ['a record by its own id', record, record, graphql('{ node(id: "rdap:taken.example") { id } }')],
  [
    'the record of an unregistered name by an id',
    record,
    record,
    graphql('{ nodes(ids: ["rdap:a.example"]) { id } }'),
  ],
  [
    'a record by its id, whose registry fails',
    record,
    0,
    graphql('{ nodes(ids: ["rdap:down.example"]) { id } }'),
  ],
  [
    'one id in a list',
    1,
    1,
    graphql('{ nodes(ids: ["a.example", "a.example"]) { ... on Domain { available } } }'),
  ],
  [
    'three names by their ids',
    3,
    2,
    graphql(
      '{ nodes(ids: ["a.example", "b.example", "down.example"]) { ... on Domain { available } } }',
    ),
  ],
  [
    'a name, its record and its registrar’s record by their ids',
    record,
    record,
    graphql(
      '{ nodes(ids: ["registrar:a.example", "a.example", "rdap:a.example"]) { id ... on Domain { available } } }',
    ),
  ],
  [
    'two names and two records by ids',
    prices.list(2) + prices.record(2),
    prices.list(2) + prices.record(2),
    graphql(
      '{ nodes(ids: ["a.example", "b.example", "rdap:c.example", "rdap:d.example"]) { id ... on Domain { available } } }',
    ),
  ],
  [
    'a name through every field that takes one',
    1,
    1,
    graphql(`
      {
        domain(name: "a.example") {
          status
        }
        domains(domains: ["a.example"]) {
          status
        }
        node(id: "a.example") {
          ... on Domain {
            status
          }
        }
        nodes(ids: ["a.example", "tld:example"]) {
          ... on Domain {
            status
          }
        }
      }
    `),
  ],
  [
    'a name, and whether a TLD has RDAP',
    1,
    1,
    graphql(
      '{ nodes(ids: ["a.example", "tld:example"]) { ... on Domain { available } ... on Node { ... on Tld { rdap } } } }',
    ),
  ],
  [
    'ids of TLDs, of invalid names, under .test, and without an object',
    0,
    0,
    graphql(`
      {
        nodes(
          ids: [
            "tld:example"
            "invalid:a b"
            "invalid:a.example"
            "rdap:taken.test"
            "A.example"
            "rdap:"
            "x"
            "a.nowhere"
          ]
        ) {
          id
          ... on Domain {
            rdap {
              id
            }
          }
        }
      }
    `),
  ],
  // Aliases, fragments, directives, variables
  [
    'one name under two aliases',
    1,
    1,
    graphql(
      '{ a: domain(name: "a.example") { status } b: domain(name: "A.Example.") { available } }',
    ),
  ],
  [
    'two names, one of which fails',
    2,
    1,
    graphql(
      '{ a: domain(name: "a.example") { status } b: domain(name: "down.example") { status } }',
    ),
  ],
  [
    'a name as a verdict and as a record',
    record,
    record,
    graphql(
      '{ a: domain(name: "a.example") { status } b: domain(name: "a.example") { rdap { handle } } }',
    ),
  ],
  [
    'a record in a fragment of a fragment',
    record,
    record,
    graphql(
      '{ domain(name: "a.example") { ...Outer } } fragment Outer on Domain { ...Inner } fragment Inner on Domain { rdap { handle } }',
    ),
  ],
  [
    'a record in a second selection of the field',
    record,
    record,
    graphql(
      '{ domain(name: "a.example") { status } ... { domain(name: "a.example") { rdap { handle } } } }',
    ),
  ],
  [
    'a record excluded by @include',
    1,
    1,
    graphql(
      'query ($withRecord: Boolean!) { domain(name: "a.example") { status rdap @include(if: $withRecord) { handle } } }',
      { withRecord: false },
    ),
  ],
  [
    'a fragment excluded by @skip in one place and used in another',
    1 + record,
    1 + record,
    graphql(
      `
        query ($no: Boolean!) {
          a: domain(name: "a.example") {
            status
            ...R @skip(if: $no)
          }
          b: domain(name: "b.example") {
            ...R
          }
        }
        fragment R on Domain {
          rdap {
            handle
          }
        }
      `,
      { no: true },
    ),
  ],
  [
    'a field excluded by @skip',
    1,
    1,
    graphql(
      '{ domain(name: "a.example") { status } b: domain(name: "b.example") @skip(if: true) { rdap { handle } } }',
    ),
  ],
  [
    'variables and their defaults',
    3,
    3,
    graphql(
      'query ($one: String! = "a.example", $many: [String!] = ["b.example", "c.example"]) { domain(name: $one) { status } domains(domains: $many) { status } }',
      {},
    ),
  ],
  [
    'one of two operations in a document',
    1,
    1,
    async (customer) => {
      const query =
        'query One { domain(name: "a.example") { status } } query Two { domain(name: "b.example") { rdap { handle } } }';
      const answer = await customer.post('/graphql', { query, operationName: 'One' });
      return { answer, cost: (await answer.json()).extensions.cost };
    },
  ],
  [
    'a field with an invalid name, and one with a valid name',
    1,
    1,
    graphql('{ a: domain(name: "no name") { status } b: domain(name: "b.example") { status } }'),
  ],
  // Searches
  ['a search under 50 TLDs', 1, 1, get(`/v1/status?name=s&tlds=${tlds(50).join(',')}`)],
  ['a search under 51 TLDs', 2, 2, get(`/v1/status?name=s&tlds=${tlds(51).join(',')}`)],
  ['a search under 51 TLDs in GraphQL', 2, 2, graphql(search, { name: 's', tlds: tlds(51) })],
  [
    'a search under 51 TLDs, one of which is repeated',
    2,
    2,
    graphql(search, { name: 's', tlds: [...tlds(51), '.TLD0'] }),
  ],
  [
    'a search under 50 TLDs and some free ones',
    1,
    1,
    graphql(search, { name: 's', tlds: [...tlds(50), 'test', 'nowhere', 'a b'] }),
  ],
  ['a search whose registries all fail', 2, 0, graphql(search, { name: 'down', tlds: tlds(60) })],
  [
    'a search, and one of its names as a record',
    1 + record,
    1 + record,
    graphql(
      'query ($tlds: [String!]) { domains(name: "s", tlds: $tlds) { status } domain(name: "s.tld0") { rdap { handle } } }',
      { tlds: tlds(11) },
    ),
  ],
  // Lists
  ['a list of two', 2, 2, get('/v1/status?domain=a.example,b.example')],
  ['a list of three', 3, 3, get('/v1/status?domain=a.example,b.example,c.example')],
  [
    'a list of four, one of which fails',
    3,
    3,
    get('/v1/status?domain=a.example,b.example,c.example,down.example'),
  ],
  [
    'a list of three, two of which fail',
    3,
    1,
    get('/v1/status?domain=a.example,down1.example,down2.example'),
  ],
  [
    'a list with duplicates, invalid names and free ones',
    3,
    3,
    graphql(list, {
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
    }),
  ],
  ['a list of 100', 51, 51, bulk({ domains: names(100) })],
  ['a list of 100, all of which fail', 51, 0, bulk({ domains: names(100, 'down') })],
  ['pairs of names and TLDs', 3, 3, bulk({ names: ['a', 'b'], tlds: ['tld0', 'tld1'] })],
  [
    'a list of records, one of which fails',
    prices.record(3),
    prices.record(2),
    graphql(records, { domains: ['a.example', 'b.example', 'down.example'] }),
  ],
  [
    'two lists that share a name',
    4,
    4,
    graphql(
      '{ a: domains(domains: ["a.example", "b.example"]) { status } b: domains(domains: ["b.example", "c.example", "d.example"]) { status } }',
    ),
  ],
  // Completed streams
  ['lines', 6, 6, lines({ domains: names(10) })],
  ['lines, half of which fail', 6, 4, lines({ domains: [...names(5), ...names(5, 'down')] })],
  ['lines of free names', 0, 0, lines({ domains: ['taken.test', 'no name', 'a.nowhere'] })],
  ['a subscription', 6, 6, events(rows, { domains: names(10) })],
  [
    'a subscription, half of which fails',
    6,
    4,
    events(rows, { domains: [...names(5), ...names(5, 'down')] }),
  ],
  [
    '@defer',
    record,
    record,
    parts('{ domain(name: "a.example") { domain ... @defer { rdap { handle } } } }'),
  ],
  [
    '@defer on a list, one of which fails',
    prices.record(3),
    prices.record(2),
    parts(
      'query ($domains: [String!]) { domains(domains: $domains) { domain ... @defer { status rdap { handle } } } }',
      { domains: ['a.example', 'b.example', 'down.example'] },
    ),
  ],
];
