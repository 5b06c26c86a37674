import { parse, type ObjectTypeDefinitionNode } from 'graphql';
import { beforeEach, describe, expect, it } from 'vitest';
import { prices } from '../../../src/execution/charging/prices.ts';
import { startFakeRegistry } from '../../support/servers/fake-registry.ts';
import { forThisFile } from '../../support/for-this-file.ts';
import { startGateway, type Json } from '../../support/gateways/gateway.ts';
import {
  costIn,
  longTimeouts,
  startMeteredGateway,
  tlds,
  type Customer,
} from '../../support/gateways/metered-gateway.ts';
import { autnum, network } from '../../support/bodies/registry-objects.ts';
import { html, registered } from '../../support/bodies/replies.ts';
import { hang } from '../../support/bodies/hostile-replies.ts';

const maxLookups = 520;
let customer: Customer;

const objects = await forThisFile(startFakeRegistry);
objects.on(/^ip\/8\.8\.1\./, network('8.8.1.0', '8.8.1.255'));
objects.on(/^ip\/8\.9\./, network('8.9.0.0', '8.9.255.255', { type: 'ALLOCATED PA' }));
objects.on(/^autnum\//, autnum(64300));
const metered = await forThisFile(startMeteredGateway, {
  objects: { ipv4: { '8.0.0.0/8': objects.baseUrl }, asn: { '64300-64310': objects.baseUrl } },
  env: { ...longTimeouts, MAX_LOOKUPS: String(maxLookups) },
});
metered.registry.on(/^taken/, ({ name }) => registered(name));
metered.registry.on(/^html/, html(404));

beforeEach(async () => {
  customer = await metered.newCustomer();
});

const reference = (domain: unknown) => ({ __typename: 'Domain', domain });
const references = (count: number, prefix = 'taken') =>
  Array.from({ length: count }, (_, index) => reference(`${prefix}${index}.example`));
const entities = (selection: string) =>
  `query ($list: [_Any!]!) { found: _entities(representations: $list) { ${selection} } }`;
const expiry = entities('... on Domain { registration { expiresAt } }');

async function run(query: string, list: readonly unknown[], caller = customer) {
  const response = await caller.graphql(query, { list });
  const { data, errors = [] } = (await response.json()) as Json;
  const codes = errors.map(({ extensions }: Json) => extensions.code);
  return { status: response.status, data, errors, codes, cost: costIn(response) };
}

async function typeAt(path: string, body: object) {
  const { data } = (await (await customer.post(path, body)).json()) as Json;
  return (data.domain ?? data.domains[0]).registration.type;
}

describe('_service', () => {
  it('returns the schema with the key of each entity, for free', async () => {
    const { data, cost } = await run('{ service: _service { sdl } }', []);
    const { sdl } = data.service;
    const keys = parse(sdl)
      .definitions.filter(({ kind }) => kind === 'ObjectTypeDefinition')
      .map((type) => type as ObjectTypeDefinitionNode)
      .flatMap(({ name, directives = [] }) =>
        directives.map((directive) => [name.value, directive.arguments?.[0]?.value]),
      );
    expect(Object.fromEntries(keys)).toMatchObject({
      Autnum: { value: 'startNumber' },
      Domain: { value: 'domain' },
      IpNetwork: { value: 'startAddress' },
      PageInfo: undefined,
      Tld: { value: 'label' },
    });
    const names = [...sdl.matchAll(/^(?:type|enum|input|interface|union) (\w+)/gm)].map(
      ([, name]) => name,
    );
    const generic = names.filter((name) => !name.startsWith('Rdap'));
    expect(generic.toSorted()).toEqual(
      'Autnum Domain IpNetwork PageInfo Query Subscription Tld'.split(' '),
    );
    const roots = /^type Query \{(.*?)^\}/ms.exec(sdl)?.[1] ?? '';
    expect([...roots.matchAll(/^  (\w+)[(:]/gm)].map(([, name]) => name)).toEqual(
      'domain domains tlds ip autnum'.split(' '),
    );
    expect(sdl).toContain('startNumber: Int');
    expect(cost.requested).toBe(0);
  });

  it.each([
    [
      'fragments on its types',
      '... on Domain { registration { ... on RdapRegistration { __typename handle } } }',
      'RdapRegistration',
    ],
    ['no fragment on others', '... on Domain { registration { __typename } }', 'RdapRegistration'],
    [
      'fragments on the types of the API',
      '... on Domain { registration { ... on Registration { __typename } } }',
      'Registration',
    ],
  ])('names types as a document of a router does: %s', async (_names, selection, typename) => {
    const { data, errors } = await run(entities(`__typename ${selection}`), references(1));
    expect(errors).toEqual([]);
    expect(data.found).toMatchObject([
      { __typename: 'Domain', registration: { __typename: typename } },
    ]);
  });

  it('names types of root fields as in the subgraph, at its address or with its variables', async () => {
    const root = '{ domain(name: "taken1.example") { registration { type: __typename } } }';
    const typed =
      'query ($by: RdapDomainsBy) { domains(by: $by) { registration { type: __typename } } }';
    const variables = { by: { names: ['taken1.example'] } };
    expect(await typeAt('/graphql', { query: root })).toBe('Registration');
    expect(await typeAt('/graphql?subgraph=true', { query: root })).toBe('RdapRegistration');
    expect(await typeAt('/graphql', { query: typed, variables })).toBe('RdapRegistration');
  });

  it.each([
    '{ node(id: "a.test") { id } }',
    '{ nodes(ids: ["a.test"]) { id } }',
    '{ account { name } }',
    '{ watches { edges { node { domain } } } }',
    'mutation { unwatch(domains: ["a.test"]) { domain } }',
    '{ domain(name: "a.test") { registration { ... on Registration { handle } } } }',
  ])('is all that its address knows: not %s', async (query) => {
    const { errors } = (await (
      await customer.post('/graphql?subgraph=true', { query })
    ).json()) as Json;
    expect(errors[0].extensions.code).toBe('invalid_query');
  });

  it('counts as introspection: once per document', async () => {
    const { codes } = await run('{ _service { sdl } again: _service { sdl } }', []);
    expect(codes).toEqual(['query_too_large']);
  });
});

describe('_entities', () => {
  it('resolves references in request order: to names, TLDs, networks and AS numbers', async () => {
    const { data, errors } = await run(
      entities(`__typename
        ... on Domain { domain status registrableName }
        ... on Tld { label rdap }
        ... on IpNetwork { found cidr }
        ... on Autnum { found name }`),
      [
        { __typename: 'Autnum', startNumber: 64300 },
        reference('TAKEN-upper.Example'),
        { __typename: 'IpNetwork', startAddress: '8.8.1.0' },
        reference('www.taken.example'),
        { __typename: 'Tld', label: 'tld1' },
        reference('not a name'),
        reference('WWW.taken.example'),
      ],
    );
    const host = {
      __typename: 'Domain',
      domain: 'www.taken.example',
      status: 'INVALID',
      registrableName: 'taken.example',
    };
    expect(errors).toEqual([]);
    expect(data.found).toEqual([
      { __typename: 'Autnum', found: true, name: 'EXAMPLE-AS' },
      {
        __typename: 'Domain',
        domain: 'taken-upper.example',
        status: 'REGISTERED',
        registrableName: null,
      },
      { __typename: 'IpNetwork', found: true, cidr: ['8.8.1.0/24'] },
      host,
      { __typename: 'Tld', label: 'tld1', rdap: true },
      { __typename: 'Domain', domain: 'not a name', status: 'INVALID', registrableName: null },
      host,
    ]);
  });

  it('returns the same TLD as `tlds`', async () => {
    const fields = 'id label policy policyDetail provesAvailable registryHost sources { source }';
    const [one, other] = [
      await run(entities(`... on Tld { ${fields} }`), [{ __typename: 'Tld', label: 'tld7' }]),
      await run(`{ tlds(search: "tld7", first: 1) { nodes { ${fields} } } }`, []),
    ];
    expect(one.data.found).toEqual(other.data.tlds.nodes);
  });

  it('looks up 500 names in one batch, each once, with one price', async () => {
    const before = metered.registry.requests.length;
    const { data, errors, cost } = await run(expiry, references(500));
    const sent = metered.registry.requests.slice(before).map(({ name }) => name);
    expect([errors.length, data.found.length, new Set(sent).size]).toEqual([0, 500, sent.length]);
    expect(cost.charged).toEqual(prices.record(500));
    expect((await customer.balance()).used).toEqual(prices.record(500));
    expect(metered.openReservations()).toBe(0);
  });

  it.each([
    ['one name', entities('... on Domain { status }'), references(1, 'a'), prices.single(1)],
    ['ten names', entities('... on Domain { status }'), references(10, 'b'), prices.list(10)],
    ['records', expiry, references(10, 'taken-c'), prices.record(10)],
    [
      'a name in several spellings',
      expiry,
      [reference('taken-d.example'), reference('TAKEN-D.example'), reference('Taken-d.example.')],
      prices.record(1),
    ],
    [
      'the same under an alias, and as a name',
      `query ($list: [_Any!]!) { ...F again: _entities(representations: $list) { ... on Domain { status } }
         domain(name: "taken-e0.example") { available } }
       fragment F on Query { _entities(representations: $list) { ...G } }
       fragment G on Domain { registration { expiresAt } }`,
      references(4, 'taken-e'),
      prices.record(4),
    ],
    [
      'a record that is not selected after all',
      `query ($list: [_Any!]!, $no: Boolean = false) { _entities(representations: $list) { ... on Domain { status registration @include(if: $no) { handle } } } }`,
      references(4, 'taken-f'),
      prices.list(4),
    ],
    [
      'a field that is skipped',
      `query ($list: [_Any!]!) { __typename _entities(representations: $list) @skip(if: true) { ... on Domain { status } } }`,
      references(4, 'taken-g'),
      0,
    ],
    [
      'a record selected on an interface',
      entities('... on Node { ... on Domain { registration { expiresAt } } }'),
      references(2, 'taken-h'),
      prices.record(2),
    ],
    [
      'a record selected on the union',
      `${entities('... on _Entity { ...U }')} fragment U on _Entity { ... on Domain { rdap { raw } } }`,
      references(3, 'taken-u'),
      prices.record(3),
    ],
    [
      'networks, one of them for two addresses',
      entities('... on IpNetwork { found }'),
      ['8.8.1.1', '8.8.1.2', '8.9.1.1'].map((startAddress) => ({
        __typename: 'IpNetwork',
        startAddress,
      })),
      prices.object(2),
    ],
    [
      'an AS number twice',
      entities('... on Autnum { name }'),
      [64300, '64300'].map((startNumber) => ({ __typename: 'Autnum', startNumber })),
      prices.object(1),
    ],
    ['TLDs', entities('... on Tld { rdap }'), [{ __typename: 'Tld', label: 'tld1' }], 0],
    ['references without their fields', entities('__typename'), references(3, 'taken-i'), 0],
    ['no references', expiry, [], 0],
  ])('%s cost as much as the table says', async (_what, query, list, credits) => {
    const { errors, cost } = await run(query, list);
    expect([errors, cost.charged, (await customer.balance()).used]).toEqual([[], credits, credits]);
    expect(metered.openReservations()).toBe(0);
  });

  it('reserves nothing for sites of records, which have none', async () => {
    const query =
      '{ nodes(ids: ["rdap:taken-v.example"]) { id ... on Site { dns { a } page { title } } } }';
    const { errors, cost } = await run(query, []);
    expect(errors).toEqual([]);
    expect(cost.requested).toEqual(prices.record(1));
    expect(cost.charged).toEqual(prices.record(1));
  });

  it('looks up nothing without the credits for all of it', async () => {
    const poor = await metered.newCustomer({ credits: prices.record(20) - 1 });
    const before = metered.registry.requests.length;
    const { status, codes } = await run(expiry, references(20, 'taken-poor'), poor);
    expect(status).toBe(402);
    expect(codes).toEqual(['insufficient_credits']);
    expect(metered.registry.requests.length).toEqual(before);
    expect([(await poor.balance()).used, metered.openReservations()]).toEqual([0, 0]);
  });

  it('refunds names without a verdict', async () => {
    const list = [...references(4, 'taken-j'), ...references(3, 'html')];
    const { cost } = await run(expiry, list);
    expect(cost).toMatchObject({ requested: prices.record(7), refunded: prices.record(3) });
  });

  it('a client that disconnects pays for what was answered or sent', async () => {
    metered.registry.on('hang.example', hang());
    const controller = new AbortController();
    const variables = { list: [reference('hang.example')] };
    const call = customer.post('/graphql', { query: expiry, variables }, {}, controller.signal);
    await metered.registry.whenRequested('hang.example');
    controller.abort();
    await expect(call).rejects.toThrow();
    await expect.poll(() => metered.openReservations()).toBe(0);
    expect((await customer.balance()).used).toBe(prices.record(1));
  });

  it.each([
    ['a type without a key', { __typename: 'Registration', id: 'rdap:taken.example' }],
    ['a type that does not exist', { __typename: 'constructor' }],
    ['no type', { domain: 'taken.example' }],
    ['no key', { __typename: 'Domain' }],
    ['a key of another type', { __typename: 'Domain', domain: ['taken.example'] }],
    ['an invalid address', { __typename: 'IpNetwork', startAddress: '300.1.1.1' }],
    ['an invalid number', { __typename: 'Autnum', startNumber: -1 }],
    ['a text', 'taken.example'],
    ['a list', [reference('taken.example')]],
    ['an unknown TLD', { __typename: 'Tld', label: 'no-such-tld' }, 'unsupported_tld'],
  ])('%s is an error of its item, and of no other', async (_what, invalid, code?: string) => {
    const list = [reference('taken-k.example'), invalid];
    const { data, errors, cost } = await run(expiry, list);
    expect(data.found).toMatchObject([{ registration: {} }, null]);
    expect(errors).toMatchObject([
      {
        path: ['found', 1],
        extensions: { code: code ?? 'invalid_parameter', param: 'representations' },
      },
    ]);
    expect(cost.charged).toBe(prices.record(1));
  });

  it.each([
    ['a list that is null', null],
    ['an item that is null', [null]],
  ])('%s is rejected', async (_what, list) => {
    expect((await run(expiry, list as unknown as unknown[])).codes).toEqual(['invalid_query']);
  });

  it('accepts references in the document, also with variables inside', async () => {
    const response = await customer.graphql(
      'query ($domain: String!) { found: _entities(representations: [{ __typename: "Domain", domain: $domain }, { __typename: "Domain", domain: "taken.example" }]) { ... on Domain { status } } }',
      { domain: 'taken-l.example' },
    );
    const { data } = await response.json();
    expect(data.found).toEqual([{ status: 'REGISTERED' }, { status: 'REGISTERED' }]);
  });

  it.each([
    ['more names than MAX_LOOKUPS', expiry, references(maxLookups + 1), 'too_many_lookups'],
    [
      'too many references, also to the same name',
      `query ($list: [_Any!]!) { ${['a', 'b', 'c', 'd', 'e'].map((alias) => `${alias}: _entities(representations: $list) { __typename }`).join(' ')} }`,
      Array.from({ length: maxLookups }, () => reference('taken.example')),
      'too_many_lookups',
    ],
    [
      'records under many aliases',
      entities(
        `... on Domain { ${Array.from({ length: 45 }, (_, index) => `a${index}: registration { raw }`).join(' ')} }`,
      ),
      Array.from({ length: 50 }, () => reference('taken.example')),
      'query_too_large',
    ],
    [
      'records under many aliases, selected on the union',
      entities(
        `... on _Entity { ... on Domain { ${Array.from({ length: 45 }, (_, index) => `a${index}: registration { raw }`).join(' ')} } }`,
      ),
      references(50),
      'query_too_large',
    ],
  ])('rejects %s, without a lookup', async (_what, query, list, code) => {
    const before = metered.registry.requests.length;
    const { codes } = await run(query, list);
    expect([codes, metered.registry.requests.length]).toEqual([[code], before]);
    expect((await customer.balance()).used).toBe(0);
  });

  it('looks up one batch per registry, and no registry delays another one', async () => {
    metered.registry.on(/^slow/, hang());
    const list = [
      ...tlds(20).map((tld) => reference(`taken.${tld}`)),
      ...references(20, 'taken-m'),
    ];
    const { data } = await run(entities('... on Domain { status }'), list);
    expect(data.found.every(({ status }: Json) => status === 'REGISTERED')).toBe(true);
  });

  it('is available to a key that is limited to its document, and the schema is not', async () => {
    const text = expiry;
    const documents = [{ ids: ['expiry'], name: 'expiry', text }];
    const limited = await metered.newCustomer({ documents });
    const { data } = await run(text, [reference('taken-n.example')], limited);
    expect(data.found.length).toBe(1);
    expect((await run('{ _service { sdl } }', [], limited)).codes).toEqual(['forbidden_operation']);
    expect((await run(entities('__typename'), [], limited)).codes).toEqual(['forbidden_operation']);
  });
});

it('with INTROSPECTION=off `_entities` works, and `_service` is rejected', async () => {
  await using gateway = await startGateway({ env: { INTROSPECTION: 'off' } });
  const list = [reference('taken.test')];
  expect((await gateway.graphql(expiry, { list })).data.found.length).toBe(1);
  for (const query of [
    '{ _service { sdl } }',
    '{ other: _service { sdl } __typename }',
    '{ ...F } fragment F on Query { _service { sdl } }',
  ]) {
    const { data, errors } = await gateway.graphql(query);
    expect(data).toBeUndefined();
    expect(errors).toMatchObject([
      { message: expect.stringContaining('introspection'), extensions: { code: 'invalid_query' } },
    ]);
  }
});
