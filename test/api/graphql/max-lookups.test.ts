import { describe, expect, it } from 'vitest';
import { startFakeRegistry } from '../../support/servers/fake-registry.ts';
import { forThisFile } from '../../support/for-this-file.ts';
import { startGateway } from '../../support/gateways/gateway.ts';

const registry = await forThisFile(startFakeRegistry);
const gateway = await forThisFile(startGateway, {
  registries: { example: registry.baseUrl },
  env: { MAX_LOOKUPS: '5' },
});

const codesOf = ({ errors = [] }: { errors?: { extensions: { code: string } }[] }) =>
  errors.map(({ extensions }) => extensions.code);
const names = (count: number) =>
  Array.from({ length: count }, (_, index) => `many${index}.example`);

describe('MAX_LOOKUPS', () => {
  const query = 'query ($list: [String!]) { domains(domains: $list) { available } }';

  it.each([
    ['in a variable', query, { list: names(6) }],
    [
      'in the default of a variable',
      `query ($list: [String!] = ${JSON.stringify(names(6))}) { domains(domains: $list) { available } }`,
      {},
    ],
    [
      'over several fields',
      `query ($list: [String!]) { domains(domains: $list) { available } one: domain(name: "other.example") { available } }`,
      { list: names(5) },
    ],
    [
      'in fragments',
      `query ($list: [String!]) { ...f ... { domain(name: "other.example") { available } } } fragment f on Query { domains(domains: $list) { available } }`,
      { list: names(5) },
    ],
  ])('rejects too many names %s, without a lookup', async (_location, text, variables) => {
    const before = registry.requests.length;
    const result = await gateway.graphql(text, variables);
    expect([result.data, codesOf(result)]).toEqual([undefined, ['too_many_lookups']]);
    expect(registry.requests.length).toBe(before);
  });

  it('applies to each request of the same document', async () => {
    expect(codesOf(await gateway.graphql(query, { list: names(6) }))).toEqual(['too_many_lookups']);
    expect(codesOf(await gateway.graphql(query, { list: names(5) }))).toEqual([]);
    expect(codesOf(await gateway.graphql(query, { list: names(6) }))).toEqual(['too_many_lookups']);
  });

  it('does not count duplicates and skipped fields', async () => {
    const text = `query ($list: [String!]) { domains(domains: $list) { available } same: domains(domains: $list) { status }
      one: domain(name: "other.example") @skip(if: true) { available } }`;
    expect(codesOf(await gateway.graphql(text, { list: [...names(5), 'MANY0.example.'] }))).toEqual(
      [],
    );
  });
});

it('an operation with far too many list entries is rejected before they are read', async () => {
  await using usual = await startGateway({ registries: { example: registry.baseUrl } });
  const fields = Array.from(
    { length: 50 },
    (_, index) => `f${index}: domains(domains: $d) { id }`,
  ).join(' ');
  const domains = Array.from({ length: 100 }, (_, index) => `bücher-${index}.example`);
  const { data, errors } = await usual.graphql(`query($d: [String!]) { ${fields} }`, {
    d: domains,
  });
  expect([data, errors[0].extensions.code]).toEqual([undefined, 'too_many_lookups']);
});
