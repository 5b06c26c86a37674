import { describe, expect, it } from 'vitest';
import { startFakeRegistry } from '../../../support/servers/fake-registry.ts';
import { forThisFile } from '../../../support/for-this-file.ts';
import { startGateway, type Json } from '../../../support/gateways/gateway.ts';
import { registered } from '../../../support/bodies/replies.ts';

const registry = await forThisFile(startFakeRegistry);
registry.fallback(({ name }) => registered(name));
const gateway = await forThisFile(startGateway, {
  registries: { com: registry.baseUrl, uk: registry.baseUrl },
  env: { RATE_LIMIT: '0', RDAP_RATE: '0' },
});

const codeOf = ({ errors = [] }: Json) => errors[0]?.extensions.code;

/**
 * Each way to send a name and a TLD separately. Returns the name that is looked up, or the error.
 */
const requests: Readonly<Record<string, (name: string, tld: string) => Promise<string>>> = {
  async 'GET /v1/status'(name, tld) {
    const { code, results } = await gateway.get(
      `/v1/status?name=${encodeURIComponent(name)}&tlds=${encodeURIComponent(tld)}`,
    );
    return code ?? nameOrError(results[0]);
  },
  async 'POST /v1/status/bulk'(name, tld) {
    const { results } = await (
      await gateway.post('/v1/status/bulk', { names: [name], tlds: [tld] })
    ).json();
    return nameOrError(results[0]);
  },
  async 'bulk NDJSON'(name, tld) {
    const response = await gateway.post(
      '/v1/status/bulk',
      { names: [name], tlds: [tld] },
      { accept: 'application/x-ndjson' },
    );
    return nameOrError(JSON.parse((await response.text()).split('\n')[0] ?? ''));
  },
  async 'domains(name, tlds)'(name, tld) {
    const query =
      'query ($name: String!, $tlds: [String!]) { domains(name: $name, tlds: $tlds) { domain status } }';
    const result = await gateway.graphql(query, { name, tlds: [tld] });
    return codeOf(result) ?? nameOrError(result.data.domains[0]);
  },
  async 'domain(name, tld)'(name, tld) {
    const query =
      'query ($name: String!, $tld: String) { domain(name: $name, tld: $tld) { domain status } }';
    const result = await gateway.graphql(query, { name, tld });
    return codeOf(result) ?? nameOrError(result.data.domain);
  },
};

function nameOrError({ domain, status, tld }: Json): string {
  if (tld !== undefined) expect(domain.endsWith(tld)).toBe(true);
  return /invalid/i.test(status) ? 'invalid_name' : domain;
}

const rejection = /^(?:invalid_name|missing_parameter)$/;

describe.each(Object.keys(requests))('%s', (kind) => {
  const send = (name: string, tld: string) => requests[kind]?.(name, tld);

  it.each([
    ['taken', 'com', 'taken.com'],
    ['taken.', 'com', 'taken.com'],
    ['Taken。', 'com', 'taken.com'],
    [' Taken ', ' .Com ', 'taken.com'],
    ['taken', '。com', 'taken.com'],
    ['taken', '．co．uk', 'taken.co.uk'],
    ['taken', 'com.', 'taken.com'],
    ['taken.', '.com.', 'taken.com'],
    ['bücher', 'com', 'xn--bcher-kva.com'],
  ])('parses %j under %j as %s', async (name, tld, domain) => {
    expect(await send(name, tld)).toBe(domain);
  });

  it.each([
    ['', 'taken.com'],
    [' ', 'taken.com'],
    ['.', 'taken.com'],
    ['taken.com', ''],
    ['taken.com', '.'],
    ['.taken', 'com'],
    ['taken..', 'com'],
    ['taken', '..com'],
    ['taken', 'com..'],
    ['taken', '*'],
    ['www', 'taken.com'],
  ])('rejects %j under %j', async (name, tld) => {
    const before = registry.requests.length;
    expect(await send(name, tld)).toMatch(rejection);
    expect(registry.requests.length).toBe(before);
  });
});

describe.each(['POST /v1/status/bulk', 'bulk NDJSON', 'domain(name, tld)'])(
  '%s validates the joined name',
  (kind) => {
    it.each([
      ['example.co', 'uk', 'example.co.uk'],
      ['example。co', 'uk', 'example.co.uk'],
      ['Example.CO.', 'uk', 'example.co.uk'],
      ['www.example', 'com', 'invalid_name'],
      ['127.0.0', '1', 'invalid_name'],
    ])('%j under %j', async (name, tld, domain) => {
      expect(await requests[kind]?.(name, tld)).toBe(domain);
    });
  },
);

it('shows an invalid pair as it was sent, in JSON and NDJSON', async () => {
  const body = { names: ['', ' taken.', 'A_B', 'Www.Taken'], tlds: ['taken.com', '', '.Com'] };
  const { results } = await (await gateway.post('/v1/status/bulk', body)).json();
  const lines = (
    await (await gateway.post('/v1/status/bulk', body, { accept: 'application/x-ndjson' })).text()
  )
    .trim()
    .split('\n');
  const rows = lines.slice(0, -1).map((line) => JSON.parse(line) as Json);
  const invalidInputs =
    '.taken.com . .Com taken.taken.com taken. taken.Com A_B.taken.com A_B. A_B.Com'.split(' ');
  const all = [...invalidInputs, 'Www.Taken.taken.com', 'Www.Taken.', 'Www.Taken.Com'];
  for (const received of [results, rows.toSorted((one, other) => one.index - other.index)]) {
    expect(received.map(({ input }: Json) => input)).toEqual(all);
    expect(received.map(({ domain }: Json) => domain)).toEqual(all.with(5, 'taken.com'));
    expect(received.map(({ status }: Json) => status)).toEqual(
      all.map(() => 'invalid').with(5, 'registered'),
    );
  }
});
