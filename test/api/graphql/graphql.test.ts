import { describe, expect, it } from 'vitest';
import { generateKey } from '../../../src/accounts/api-key.ts';
import { startFakeRegistry } from '../../support/servers/fake-registry.ts';
import { forThisFile } from '../../support/for-this-file.ts';
import { startGateway } from '../../support/gateways/gateway.ts';
import { html, registered, status } from '../../support/bodies/replies.ts';
import { problemExtensions } from '../../support/checks/problem-extensions.ts';

const registry = await forThisFile(startFakeRegistry);
registry.on(/taken/, ({ name }) => registered(name));
registry.on(/^html/, html(404));
registry.on(/^busy/, status(429, { 'retry-after': '9' }));
const gateway = await forThisFile(startGateway, {
  registries: { example: registry.baseUrl, invalid: registry.baseUrl },
  delegates: ['taken'],
});

const codesOf = ({ errors = [] }: { errors?: { extensions: { code: string } }[] }) =>
  errors.map(({ extensions }) => extensions.code);

describe('domain', () => {
  it('executes the operation that the contract specifies', async () => {
    const { data, errors } = await gateway.graphql(
      '{ domain(name: "taken", tld: "test") { available rdap { nameservers } } }',
    );
    expect(errors).toBeUndefined();
    expect(data).toEqual({
      domain: { available: false, rdap: { nameservers: [expect.any(String), expect.any(String)] } },
    });
  });

  it.each([
    ['in full', '(name: "taken-full.example")', 'taken-full.example'],
    ['as label and TLD', '(name: "taken-parts", tld: "example")', 'taken-parts.example'],
    [
      'in capitals, with a dot before the TLD and spaces',
      '(name: " TAKEN-Caps ", tld: " .EXAMPLE ")',
      'taken-caps.example',
    ],
    [
      'with full-width dots and a final dot',
      '(name: "taken-wide。example．")',
      'taken-wide.example',
    ],
    ['in Unicode', '(name: "taken-Bücher.example")', 'xn--taken-bcher-zhb.example'],
  ])('accepts a name %s', async (_form, args, domain) => {
    const { data } = await gateway.graphql(
      `{ domain${args} { id domain unicodeName name tld available status reason source rdapEndpoint } }`,
    );
    expect(data.domain).toMatchObject({
      id: domain,
      domain,
      tld: 'example',
      available: false,
      status: 'REGISTERED',
      reason: null,
    });
    expect(data.domain).toMatchObject({
      source: 'rdap',
      rdapEndpoint: registry.baseUrl,
      name: domain.replace('.example', ''),
    });
    expect(registry.requestCount(domain)).toBe(1);
  });

  it('returns the Unicode form of a name', async () => {
    const { data } = await gateway.graphql(
      '{ domain(name: "xn--bcher-kva.test") { domain unicodeName name } }',
    );
    expect(data.domain).toEqual({
      domain: 'xn--bcher-kva.test',
      unicodeName: 'bücher.test',
      name: 'xn--bcher-kva',
    });
  });

  it('returns null and no error as the registration of an available name', async () => {
    const { data, errors } = await gateway.graphql(
      '{ domain(name: "free.example") { available status rdap { handle } } }',
    );
    expect(data).toEqual({ domain: { available: true, status: 'AVAILABLE', rdap: null } });
    expect(errors).toBeUndefined();
  });

  it('sends one registry request for verdict and record, under any number of aliases', async () => {
    const query = `{ a: domain(name: "taken-once.example") { available } b: domain(name: "TAKEN-once", tld: "example") { rdap { handle } }
      domains(domains: ["taken-once.example", "taken-once.example."]) { domain status } }`;
    const { data } = await gateway.graphql(query);
    expect(data).toEqual({
      a: { available: false },
      b: { rdap: { handle: 'FAKE-taken-once.example' } },
      domains: [{ domain: 'taken-once.example', status: 'REGISTERED' }],
    });
    expect(registry.requestCount('taken-once.example')).toBe(1);
  });

  it('queries no registry if only forms of the name are selected', async () => {
    await gateway.graphql(
      '{ domain(name: "taken-unused.example") { id domain unicodeName name tld } }',
    );
    expect(registry.requestCount('taken-unused.example')).toBe(0);
  });

  it('supports variables, fragments and directives', async () => {
    const query = `query ($name: String!, $tlds: [String!], $no: Boolean!) {
      domains(name: $name, tlds: $tlds) { ...verdict ... on Domain @include(if: $no) { rdap { handle } } }
      skipped: domain(name: "taken-skipped.example") @skip(if: true) { available }
    } fragment verdict on Domain { domain available }`;
    const { data } = await gateway.graphql(query, {
      name: 'taken-vars',
      tlds: ['example', 'test'],
      no: false,
    });
    expect(data).toEqual({
      domains: [
        { domain: 'taken-vars.example', available: false },
        { domain: 'taken-vars.test', available: false },
      ],
    });
    expect(registry.requestCount('taken-skipped.example')).toBe(0);
  });

  it.each([
    [{ name: 'a' }, '$tlds'],
    [{ name: 'a', tlds: ['test', null] }, '$tlds at [1]'],
    [{ name: 'a', tlds: ['test', {}] }, '$tlds at [1]'],
    [{ name: 7, tlds: [] }, '$name'],
    [{ name: 'a', tlds: [], age: 1e12 }, '$age'],
    [{ name: 'a', tlds: [], age: 'x' }, '$age'],
  ])('names the variable that is not valid: %j', async (variables, named) => {
    const { errors } = await gateway.graphql(
      'query ($name: String!, $tlds: [String!]!, $age: Int) { domains(name: $name, tlds: $tlds, maxAge: $age) { domain } }',
      variables,
    );
    const [part = '', path = ''] = named.split(' at ');
    expect(errors).toMatchObject([{ extensions: { code: 'invalid_query' } }]);
    expect(errors[0].message).toMatch(`Variable "${part}" has invalid value`);
    expect(errors[0].message).toContain(path);
  });
});

describe('domains', () => {
  it('returns with each row the entries that asked for it, as they were sent', async () => {
    const { data } = await gateway.graphql(
      `query ($domains: [String!]) {
        domains(domains: $domains) { domain inputs }
        label: domains(name: " Bücher", tlds: [".test", "TEST"]) { inputs }
        domain(name: "TAKEN.test.") { inputs }
        other: domains(domains: ["taken.test"]) { inputs }
        node(id: "taken.test") { ... on Domain { inputs } }
        _entities(representations: [{ __typename: "Domain", domain: "Idea.test" }]) { ... on Domain { inputs } }
      }`,
      { domains: ['taken.test', 'TAKEN.test', 'idea.test', ' taken.test', 'a b', 'taken.test'] },
    );
    expect(data).toEqual({
      domains: [
        { domain: 'taken.test', inputs: ['taken.test', 'TAKEN.test', ' taken.test'] },
        { domain: 'idea.test', inputs: ['idea.test'] },
        { domain: 'a b', inputs: ['a b'] },
      ],
      label: [{ inputs: ['Bücher.test', 'Bücher.TEST'] }],
      domain: { inputs: ['TAKEN.test.'] },
      other: [{ inputs: ['taken.test'] }],
      node: { inputs: ['taken.test'] },
      _entities: [{ inputs: ['Idea.test'] }],
    });
  });

  it('returns one row per distinct name, in request order', async () => {
    const { data } = await gateway.graphql(
      '{ domains(name: "taken-fold", tlds: ["test", ".EXAMPLE", "example", " test "]) { domain } }',
    );
    expect(data.domains).toEqual([{ domain: 'taken-fold.test' }, { domain: 'taken-fold.example' }]);
  });

  it('returns rows for invalid entries, as sent, and for unsupported TLDs', async () => {
    const query = `{ domains(domains: [" a b.example ", "www.taken.com", "com", "x.no-such-tld", "free.example"]) {
      id domain available status reason source rdapEndpoint checkedAt cached } }`;
    const { data, errors } = await gateway.graphql(query);
    expect(errors).toBeUndefined();
    const noLookup = {
      available: null,
      source: null,
      rdapEndpoint: null,
      checkedAt: null,
      cached: false,
    };
    const invalid = { ...noLookup, status: 'INVALID', reason: 'invalid_name' };
    expect(data.domains).toEqual([
      { id: 'invalid:a b.example', domain: 'a b.example', ...invalid },
      { id: 'invalid:www.taken.com', domain: 'www.taken.com', ...invalid },
      { id: 'invalid:com', domain: 'com', ...invalid },
      {
        id: 'x.no-such-tld',
        domain: 'x.no-such-tld',
        ...noLookup,
        status: 'UNSUPPORTED_TLD',
        reason: 'unsupported_tld',
      },
      expect.objectContaining({ domain: 'free.example', status: 'AVAILABLE' }),
    ]);
  });

  it('explains a missing record in its row, without an error', async () => {
    const query =
      '{ domains(domains: ["taken-a.example", "html.example", "-.example", "x.no-such-tld", "free.example"]) { status reason ' +
      'problem { code detail retryable retryAfter } rdap { handle } registrarRdap { handle } registrarProblem { code } } }';
    const { data, errors } = await gateway.graphql(query);
    expect(errors).toBeUndefined();
    const none = {
      reason: null,
      problem: null,
      rdap: null,
      registrarRdap: null,
      registrarProblem: null,
    };
    const failed = (code: string, retryable: boolean) => {
      const problem = { code, detail: expect.stringMatching(/\.$/), retryable, retryAfter: null };
      return { ...none, reason: code, problem, registrarProblem: { code } };
    };
    expect(data.domains).toEqual([
      { ...none, status: 'REGISTERED', rdap: { handle: 'FAKE-taken-a.example' } },
      { ...failed('untrusted_answer', true), status: 'UNKNOWN' },
      { ...failed('invalid_name', false), status: 'INVALID' },
      { ...failed('unsupported_tld', false), status: 'UNSUPPORTED_TLD' },
      { ...none, status: 'AVAILABLE' },
    ]);
  });

  it('returns when to retry, and redacts API keys of the request', async () => {
    const key = generateKey();
    const query = `{ domains(domains: ["busy.example", "${key}.example.a b"]) { problem { code detail retryAfter } } }`;
    const { data, errors } = await gateway.graphql(query);
    expect(errors).toBeUndefined();
    expect(data.domains).toMatchObject([
      { problem: { code: 'registry_busy', retryAfter: 9 } },
      { problem: { code: 'invalid_name', detail: expect.stringContaining('rgw_…') } },
    ]);
    expect(JSON.stringify(data)).not.toContain(key);
  });

  it('returns its rows beside a field whose arguments are rejected', async () => {
    const { data, errors } = await gateway.graphql(
      '{ domain(name: "taken-a.example") { status } tlds(first: -1) { totalCount } }',
    );
    expect(data).toEqual({ domain: { status: 'REGISTERED' }, tlds: null });
    expect(errors).toMatchObject([
      { path: ['tlds'], extensions: problemExtensions('invalid_parameter', { param: 'first' }) },
    ]);
  });
});

describe('an invalid operation', () => {
  it.each([
    ['an invalid name', '{ domain(name: "a b.example") { id } }', 'invalid_name', 'name'],
    ['an IP address', '{ domain(name: "127.0.0.1") { id } }', 'invalid_name', 'name'],
    [
      'a name one level too deep',
      '{ domain(name: "www.taken.com") { id } }',
      'invalid_name',
      'name',
    ],
    ['a suffix alone', '{ domain(name: "co.uk") { id } }', 'invalid_name', 'name'],
    ['an invalid TLD', '{ domain(name: "a", tld: "c m") { id } }', 'invalid_name', 'tld'],
    ['an empty name', '{ domain(name: " ") { id } }', 'missing_parameter', 'name'],
    ['an empty TLD', '{ domain(name: "a", tld: "") { id } }', 'missing_parameter', 'tld'],
    ['an invalid label', '{ domains(name: "a b", tlds: ["test"]) { id } }', 'invalid_name', 'name'],
    [
      'both forms',
      '{ domains(name: "a", tlds: ["test"], domains: ["a.test"]) { id } }',
      'invalid_parameter',
      'domains',
    ],
    ['neither form', '{ domains { id } }', 'invalid_parameter', 'name'],
    ['a label without TLDs', '{ domains(name: "a") { id } }', 'missing_parameter', 'tlds'],
    ['TLDs without a label', '{ domains(tlds: ["test"]) { id } }', 'missing_parameter', 'name'],
    ['an empty list', '{ domains(domains: []) { id } }', 'missing_parameter', 'domains'],
    [
      'a negative age',
      '{ domain(name: "a.test", maxAge: -1) { id } }',
      'invalid_max_age',
      'maxAge',
    ],
    [
      'a negative age in a search',
      '{ domains(domains: ["a.test"], maxAge: -1) { id } }',
      'invalid_max_age',
      'maxAge',
    ],
  ])('reports %s at the field', async (_case, query, code, param) => {
    const { data, errors } = await gateway.graphql(query);
    const [field] = Object.keys(data);
    expect(data).toEqual({ [String(field)]: null });
    expect(errors).toEqual([
      {
        message: expect.any(String),
        locations: [expect.anything()],
        path: [field],
        extensions: problemExtensions(code, { param }),
      },
    ]);
  });

  it.each([
    ['text that is not GraphQL', '{ domain(name: '],
    ['an unknown field', '{ domain(name: "a.test") { price } }'],
    ['an age that is not an integer', '{ domain(name: "a.test", maxAge: 1.5) { id } }'],
    ['a missing argument', '{ domain { id } }'],
    ['@stream', '{ domains(domains: ["a.test"]) @stream { id } }'],
    ['a mutation', 'mutation { id }'],
  ])('is an invalid_query with %s', async (_case, query) => {
    const result = await gateway.graphql(query);
    expect(Object.keys(result)).toEqual(['errors']);
    expect(new Set(codesOf(result))).toEqual(new Set(['invalid_query']));
    // The second time, the parsed document is cached.
    expect(await gateway.graphql(query)).toEqual(result);
  });

  it.each(
    Object.entries({
      'for @include':
        'query ($x: Boolean = true) { domain(name: "a.test") { available @include(if: $x) } }',
      'for @skip at the top level':
        'query ($x: Boolean = true) { domain(name: "a.test") @skip(if: $x) { available } }',
      'for @defer':
        'query ($x: Boolean = true) { domain(name: "a.test") { ... @defer(if: $x) { available } } }',
    }),
  )('reports null in place of a Boolean %s', async (_case, query) => {
    const result = await gateway.graphql(query, { x: null });
    expect([codesOf(result), result.data]).toEqual([['invalid_query'], undefined]);
    expect(result.errors[0].message).toMatch(/\$x.* null|null.*\$x|"if"/);
  });

  it('does not affect its other fields', async () => {
    const result = await gateway.graphql(
      '{ bad: domain(name: "a b") { id } good: domain(name: "free.example") { available } }',
    );
    expect(result.data).toEqual({ bad: null, good: { available: true } });
    expect(codesOf(result)).toEqual(['invalid_name']);
  });
});
