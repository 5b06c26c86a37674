import * as fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { startFakeRegistry } from '../../support/servers/fake-registry.ts';
import { forThisFile } from '../../support/for-this-file.ts';
import { startGateway, type Json } from '../../support/gateways/gateway.ts';
import { html, notFound, registered } from '../../support/bodies/replies.ts';
import { paused } from '../../support/bodies/scripts.ts';
import { next, partsOf, remaining } from '../../support/requests/streams.ts';

const registry = await forThisFile(startFakeRegistry);
const registrar = await forThisFile(startFakeRegistry);
registrar.fallback(({ name }) => registered(name));
registry.on(/^(?:taken|nic)/, ({ name }) => {
  const link = {
    rel: 'related',
    type: 'application/rdap+json',
    href: registrar.url(`domain/${name}`),
  };
  return registered(name, { members: { links: [link] } });
});
registry.on(/^html/, html(404));
const env = { MAX_LOOKUPS: '20', RATE_LIMIT: '0', RDAP_RATE: '0' };
const gateway = await forThisFile(startGateway, {
  registries: { example: registry.baseUrl, uk: registry.baseUrl, registrar: registrar.baseUrl },
  env,
});

let nextName = 0;
/** A registered name that no other test looks up. */
let taken: string;
beforeEach(() => {
  taken = `taken${(nextName += 1)}.example`;
});

const fields = `__typename id
  ... on Domain { domain status available problem { code } rdap { id handle } }
  ... on Registration { handle nameservers }
  ... on Tld { label hasServer: rdap }`;
const byIds = (ids: readonly string[], selection = fields, at = gateway): Promise<Json> =>
  at.graphql(`query ($ids: [ID!]!) { nodes(ids: $ids) { ${selection} } }`, { ids });
const byId = (id: string, selection = fields): Promise<Json> =>
  gateway.graphql(`query ($id: ID!) { node(id: $id) { ${selection} } }`, { id });

describe('a node id', () => {
  it('finds the object that it belongs to, whatever its type', async () => {
    const domain = `domain status available problem { code } rdap { id handle }`;
    const entries = [
      taken,
      'free.example',
      'html.example',
      'x.no-such-tld',
      'com',
      ' a b.example',
      'Foo.co.uk.example',
      '',
    ];
    const { data } = await gateway.graphql(
      `query ($entries: [String!], $taken: String!) {
        domains(domains: $entries) { __typename id ${domain} }
        pairs: domains(name: "taken", tlds: ["no_such", "a b", " uk"]) { __typename id ${domain} }
        record: domain(name: $taken) { rdap { __typename id handle nameservers } registrarRdap { __typename id handle nameservers } }
        tlds(search: "example", last: 1) { nodes { __typename id label hasServer: rdap } }
      }`,
      { entries, taken },
    );
    const { rdap, registrarRdap } = data.record;
    const objects = [...data.domains, ...data.pairs, rdap, registrarRdap, ...data.tlds.nodes];
    expect(objects.map(({ id }: Json) => id)).toEqual([
      taken,
      'free.example',
      'html.example',
      'x.no-such-tld',
      'invalid:com',
      'invalid:a b.example',
      'invalid:Foo.co.uk.example',
      'invalid:',
      'invalid:taken.no_such',
      'invalid:taken.a b',
      'taken.uk',
      `rdap:${taken}`,
      `registrar:${taken}`,
      'tld:example',
    ]);
    const { data: found, errors } = await byIds(objects.map(({ id }) => id));
    expect(errors).toBeUndefined();
    expect(found.nodes).toEqual(objects);
    for (const object of objects) expect(await byId(object.id)).toEqual({ data: { node: object } });
  });

  it.each([
    '',
    'taken',
    'TAKEN1.EXAMPLE',
    'taken1.example.',
    ' taken1.example',
    '.taken1.example',
    'bücher.example',
    '127.0.0.1',
    '1',
    'rdap:',
    'registrar:',
    'tld:',
    'rdap:taken',
    'rdap:TAKEN1.example',
    'rdap:rdap:taken1.example',
    'rdap:free.example',
    'rdap:html.example',
    'registrar:html.example',
    'rdap:www.taken.co.uk.example',
    'rdap:x.no-such-tld',
    'RDAP:taken1.example',
    'tld:no-such',
    'tld:Example',
    'tld:.example',
    'tld:__proto__',
    'tld:constructor',
    '__proto__',
    'constructor',
    'toString',
    'invalid:taken1.example',
    'invalid: a b',
    'Invalid:x',
    'www.taken1.example',
    'co.uk',
    'RG9tYWluOng=',
    'rdap:taken1.example\n',
    `${'x'.repeat(30_000)}.example`,
    `rdap:${'é'.repeat(10_000)}`,
    'rdap:\u0000',
    '\ud800',
    'tld:\u202e',
    '🦄.example',
  ])('without an object returns null and no error: %j', async (id) => {
    expect(await byId(id)).toEqual({ data: { node: null } });
    expect(await byIds([id, 'tld:example', id], 'id')).toEqual({
      data: { nodes: [null, { id: 'tld:example' }, null] },
    });
  });

  it('equals the id of the object that it finds, whatever is sent', async () => {
    const odd = fc.constantFrom(
      'taken.test',
      'com',
      'test',
      'a b',
      'x.zz',
      '.',
      'é',
      '\ud800',
      '\u0000',
      'ＴＡＫＥＮ.test',
      '。',
      '🦄',
    );
    const word = fc
      .array(fc.oneof(odd, fc.string({ maxLength: 5 })), { maxLength: 3 })
      .map((parts) => parts.join(''));
    const id = fc
      .tuple(fc.constantFrom('', 'rdap:', 'registrar:', 'tld:', 'invalid:', ':'), word)
      .map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(fc.array(id, { maxLength: 5 }), async (ids) => {
        const { data, errors } = await byIds(ids, 'id');
        expect(errors).toBeUndefined();
        for (const [index, node] of data.nodes.entries())
          expect([null, ids[index]]).toContain(node?.id ?? null);
      }),
      { numRuns: 200 },
    );
  });

  it('of a failed lookup finds the row with its problem, and no record', async () => {
    const { data, errors } = await byIds([
      'html.example',
      'rdap:html.example',
      'registrar:html.example',
    ]);
    expect(errors).toBeUndefined();
    expect(data.nodes).toMatchObject([
      { status: 'UNKNOWN', problem: { code: 'untrusted_answer' }, rdap: null },
      null,
      null,
    ]);
  });
});

describe('a lookup by id', () => {
  it('is shared with the other lookups of the name', async () => {
    const { data, errors } = await gateway.graphql(
      `{ domain(name: "${taken}") { available } node(id: "${taken}") { ... on Domain { available phase } }
         nodes(ids: ["${taken}", "rdap:${taken}", "registrar:${taken}", "${taken}"]) { id ... on Domain { registrarRdap { handle } } } }`,
    );
    expect(errors).toBeUndefined();
    const row = { id: taken, registrarRdap: { handle: `FAKE-${taken}` } };
    expect(data.nodes).toEqual([row, { id: `rdap:${taken}` }, { id: `registrar:${taken}` }, row]);
    expect(data.node).toEqual({ available: false, phase: 'ACTIVE' });
    expect([registry.requestCount(taken), registrar.requestCount(taken)]).toEqual([1, 1]);
  });

  it('queries no registry if only local fields are selected', async () => {
    await byIds(
      [taken, `invalid:${taken}`, 'tld:example'],
      '__typename id ... on Domain { domain tld }',
    );
    expect(registry.requestCount(taken)).toBe(0);
  });

  it('can be deferred: rows are sent immediately, and each verdict once it is resolved', async () => {
    const reply = paused(notFound());
    registry.on('slow.example', reply);
    const query = `{ nodes(ids: ["slow.example", "tld:example"]) { id ... on Node { ... on Domain @defer { available rdap { handle } } } } }`;
    const parts = partsOf(await gateway.post('/graphql', { query }, { accept: 'multipart/mixed' }));
    expect(await next(parts)).toEqual({
      data: { nodes: [{ id: 'slow.example' }, { id: 'tld:example' }] },
      hasNext: true,
    });
    reply.release();
    const incremental = (await remaining(parts)).flatMap((part) => part.incremental ?? []);
    expect(incremental).toEqual([{ path: ['nodes', 0], data: { available: true, rdap: null } }]);
  });

  it('selects fields by the type of each object, also inside an interface', async () => {
    const { data, errors } = await gateway.graphql(
      `{ nodes(ids: ["${taken}", "tld:example", "rdap:${taken}"]) { id ... on Node { ... on Tld { label } ...D } ... on Registration { handle } } }
       fragment D on Domain { ...N domain }
       fragment N on Node { ... on Tld { rdap } ... on Domain { available } }`,
    );
    expect(errors).toBeUndefined();
    expect(data.nodes).toEqual([
      { id: taken, domain: taken, available: false },
      { id: 'tld:example', label: 'example' },
      { id: `rdap:${taken}`, handle: `FAKE-${taken}` },
    ]);
    const others = `{ domain(name: "${taken}") { domain ... on Node { id ... on Tld { hasServer: rdap } } } }`;
    expect(await gateway.graphql(others)).toEqual({
      data: { domain: { domain: taken, id: taken } },
    });
  });
});

const codeOf = ({ errors }: Json) => errors?.[0].extensions.code;
const many = (count: number, prefix = '') =>
  Array.from({ length: count }, (_, index) => `${prefix}n${index}.example`);
const equal = (count: number, id: string) => Array.from({ length: count }, () => id);

describe('too many node ids', () => {
  it('are rejected above MAX_LOOKUPS names', async () => {
    expect(codeOf(await byIds([...many(20), ...many(20, 'rdap:')], 'id'))).toBeUndefined();
    expect(codeOf(await byIds(many(21), 'id'))).toBe('too_many_lookups');
    expect(codeOf(await byIds([...many(20), 'rdap:other.example'], 'id'))).toBe('too_many_lookups');
  });

  it.each(['tld:example', 'invalid:x', 'nothing', 'taken1.example'])(
    'are rejected by the number of list entries, duplicates included: %s',
    async (id) => {
      const ids = (count: number) => Array.from({ length: count }, () => id);
      expect(codeOf(await byIds(ids(80), 'id'))).toBeUndefined();
      expect(codeOf(await byIds(ids(81), 'id'))).toBe('too_many_lookups');
    },
  );

  it('are rejected if they would repeat records too often', async () => {
    await using large = await startGateway({ env: { RATE_LIMIT: '0' } });
    const copies = '... on Registration { a: raw b: raw }';
    expect(codeOf(await byIds(equal(3, 'rdap:taken.test'), copies, large))).toBeUndefined();
    expect(codeOf(await byIds(equal(1001, 'rdap:taken.test'), copies, large))).toBe(
      'query_too_large',
    );
    const ofRows = '... on Domain { a: rdap { raw } b: rdap { raw } }';
    expect(codeOf(await byIds(equal(1001, 'taken.test'), ofRows, large))).toBe('query_too_large');
  });
});
