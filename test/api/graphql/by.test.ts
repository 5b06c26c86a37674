import { describe, expect, it } from 'vitest';
import { forThisFile } from '../../support/for-this-file.ts';
import { startMeteredGateway } from '../../support/gateways/metered-gateway.ts';
import type { Json } from '../../support/gateways/gateway.ts';

const { newCustomer, gateway } = await forThisFile(startMeteredGateway, {
  env: { MAX_LOOKUPS: '5' },
});
const customer = await newCustomer();

async function ask(query: string, variables?: Record<string, unknown>) {
  const response = await customer.graphql(query, variables);
  const { data, errors } = (await response.json()) as Json;
  return { data, errors, requested: Number(response.headers.get('x-credits-requested')) };
}

const field = (args: string) => `{ domains(${args}) { domain status inputs } }`;
const names = (count: number) => Array.from({ length: count }, (_, index) => `b${index}.example`);

describe('`by`', () => {
  it.each([
    ['by: { names: ["a.example", "B.example"] }', 'domains: ["a.example", "B.example"]'],
    ['by: { names: ["a.example"] }', 'domains: ["a.example"]'],
    ['by: { names: ["not a name"] }', 'domains: ["not a name"]'],
    [
      'by: { search: { label: "a", tlds: ["tld0", "@test"] } }',
      'name: "a", tlds: ["tld0", "@test"]',
    ],
    ['by: null, domains: ["a.example"]', 'domains: ["a.example"]'],
  ])('(%s) does the same as (%s), at the same price', async (by, separate) => {
    const [first, second] = [await ask(field(by)), await ask(field(separate))];
    expect([first.errors, first]).toEqual([undefined, second]);
  });

  it.each([
    ['by: { names: ["a.example"] }, domains: ["a.example"]', 'invalid_parameter', 'by'],
    ['by: { names: ["a.example"] }, name: "a"', 'invalid_parameter', 'by'],
    ['by: { search: { label: "a", tlds: ["tld0"] } }, tlds: ["tld1"]', 'invalid_parameter', 'by'],
    ['by: { names: [] }', 'missing_parameter', 'by.names'],
    ['by: { search: { label: "a", tlds: [] } }', 'missing_parameter', 'by.search.tlds'],
    ['by: { search: { label: " ", tlds: ["tld0"] } }', 'missing_parameter', 'by.search.label'],
    ['by: { search: { label: "-a", tlds: ["tld0"] } }', 'invalid_name', 'by.search.label'],
    ['by: { search: { label: "a", tlds: ["@no"] } }', 'invalid_parameter', 'by.search.tlds'],
    ['by: {}', 'invalid_query', undefined],
    [
      'by: { names: ["a.example"], search: { label: "a", tlds: ["tld0"] } }',
      'invalid_query',
      undefined,
    ],
  ])('(%s) is rejected with %s, which names %s', async (args, code, param) => {
    const { data, errors, requested } = await ask(field(args));
    expect([data?.domains ?? null, errors[0].extensions, requested]).toEqual([
      null,
      expect.objectContaining({ code, ...(param && { param }) }),
      0,
    ]);
    const event = await ask(`subscription { availability(${args}) { domain } }`);
    expect(event.errors[0].extensions.code).toBe(code);
  });

  it('counts towards the limits of names, entries and repeated records', async () => {
    const query = 'query ($by: DomainsBy) { domains(by: $by) { domain } }';
    const many = await ask(query, { by: { names: names(6) } });
    expect(many.errors[0].extensions.code).toBe('too_many_lookups');
    const fields = Array.from({ length: 50 }, (_, index) => `f${index}: domains(by: $by) { id }`);
    const entries = await ask(`query ($by: DomainsBy) { ${fields.join(' ')} }`, {
      by: { names: names(2000) },
    });
    expect(entries.errors[0].message).toContain('too many entries');
    const few = await ask(query, { by: { names: names(5) } });
    expect([few.errors, few.data.domains.length, few.requested]).toEqual([undefined, 5, 4]);
  });

  it('selects the rows of a subscription', async () => {
    const response = await gateway.fetch('/graphql', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'text/event-stream',
        'x-api-key': customer.key,
      },
      body: JSON.stringify({
        query: 'subscription ($by: DomainsBy) { availability(by: $by) { domain } }',
        variables: { by: { search: { label: 'a', tlds: ['tld0', 'tld1'] } } },
      }),
    });
    const events = (await response.text()).match(/"domain":"[^"]*"/g);
    expect(events?.toSorted()).toEqual(['"domain":"a.tld0"', '"domain":"a.tld1"']);
  });
});
