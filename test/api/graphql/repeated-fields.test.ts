import { beforeEach, describe, expect, it } from 'vitest';
import { startFakeRegistry } from '../../support/servers/fake-registry.ts';
import { forThisFile } from '../../support/for-this-file.ts';
import { startGateway, type Json } from '../../support/gateways/gateway.ts';
import { registered } from '../../support/bodies/replies.ts';

let requestsBefore: number;

const registry = await forThisFile(startFakeRegistry);
registry.fallback(({ name }) => registered(name));
const env = { RATE_LIMIT: '0', RDAP_RATE: '0', RDAP_CONCURRENCY: '1000' };
const gateway = await forThisFile(startGateway, { registries: { example: registry.baseUrl }, env });

beforeEach(() => void (requestsBefore = registry.requests.length));

const times = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => text(index)).join(' ');
const names = (count: number) => Array.from({ length: count }, (_, index) => `n${index}.example`);
const raws = (count: number) => times(count, (index) => `a${index}: raw`);
const codesOf = ({ errors = [] }: Json): string[] =>
  errors.map(({ extensions }: Json) => extensions.code);

/** A list of names, and the selection on each of them. */
const list = (selection: string) =>
  `query ($d: [String!]) { domains(domains: $d) { ${selection} } }`;

/** Queries that repeat a field under different aliases, and the number of names in their list. */
const excessive: readonly (readonly [what: string, query: string, names: number])[] = [
  ["the registry's own object under 50 aliases", list(`rdap { ${raws(50)} }`), 500],
  [
    'a contact under 50 aliases',
    list(`rdap { ${times(50, (index) => `a${index}: contacts { name }`)} }`),
    500,
  ],
  ['a record under 50 aliases', list(times(50, (index) => `a${index}: rdap { raw }`)), 500],
  [
    "the registrar's record under 50 aliases",
    list(times(50, (index) => `a${index}: registrarRdap { raw }`)),
    500,
  ],
  [
    'the same list under 25 aliases',
    `query ($d: [String!]) { ${times(25, (index) => `a${index}: domains(domains: $d) { rdap { raw again: raw } }`)} }`,
    60,
  ],
  [
    'a set under 50 aliases',
    `{ ${times(50, (index) => `a${index}: domains(name: "n", tlds: ["@popular", "@tech"]) { rdap { raw } }`)} }`,
    0,
  ],
  [
    'aliases in a fragment',
    `${list('rdap { ...F }')} fragment F on Registration { ... { ${raws(50)} } }`,
    100,
  ],
  ['deferred aliases', list(`domain ... @defer { rdap { ${raws(20)} } }`), 500],
];

describe('a field that is selected repeatedly under aliases', () => {
  it.each(excessive)('is rejected without a lookup: %s', async (_case, query, count) => {
    expect(codesOf(await gateway.graphql(query, { d: names(count) }))).toEqual(['query_too_large']);
    expect(registry.requests.length).toBe(requestsBefore);
  });

  it.each([
    [
      'invalid names',
      '{ ...A }',
      'domains(domains: ["%"])',
      '...B',
      (name: string) => `${name}: domain`,
    ],
    [
      'records of one name',
      '{ ...A }',
      'domain(name: "n.example")',
      'rdap { ...B }',
      (name: string) => `${name}: raw`,
    ],
  ])('is rejected if aliases multiply: %s', async (_case, operation, root, within, field) => {
    const type = within === 'rdap { ...B }' ? 'Registration' : 'Domain';
    const outer = `fragment A on Query { ${times(25, (index) => `a${index}: ${root} { ${within} }`)} }`;
    const inner = (count: number) =>
      `fragment B on ${type} { ${times(count, (index) => field(`b${index}`))} }`;
    expect(codesOf(await gateway.graphql(`${operation} ${outer} ${inner(25)}`))).toEqual([
      'query_too_large',
    ]);
    expect(registry.requests.length).toBe(requestsBefore);
    expect(codesOf(await gateway.graphql(`${operation} ${outer} ${inner(2)}`))).toEqual([]);
  });

  it('is accepted for a few names', async () => {
    const { data, errors } = await gateway.graphql(list(`rdap { ${raws(50)} }`), { d: names(3) });
    expect(errors).toBeUndefined();
    expect(data.domains.map(({ rdap }: Json) => Object.keys(rdap).length)).toEqual([50, 50, 50]);
  });

  it('is counted once if fragments select it under the same name', async () => {
    const query = `${list(times(60, () => '...F'))} fragment F on Domain { rdap { raw ...G } ...H } fragment G on Registration { raw handle } fragment H on Domain { rdap { ...G } }`;
    const { data, errors } = await gateway.graphql(query, { d: names(500) });
    expect([errors, data.domains.length]).toEqual([undefined, 500]);
  });

  it('is accepted once for each of fifty names', async () => {
    const query = `{ ${times(50, (index) => `a${index}: domain(name: "n${index}.example") { rdap { raw } registrarRdap { raw } }`)} }`;
    expect(codesOf(await gateway.graphql(query))).toEqual([]);
  });
});
