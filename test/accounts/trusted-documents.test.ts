import { hash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { forThisFile } from '../support/for-this-file.ts';
import type { Json } from '../support/gateways/gateway.ts';
import { callerWith, startMeteredGateway } from '../support/gateways/metered-gateway.ts';
import { runKeys } from '../support/gateways/command-line.ts';
import { eventsOf, remaining } from '../support/requests/streams.ts';

const search = `query Search($names: [String!]!) {
  domains(domains: $names) { ...Row }
}

fragment Row on Domain { domain available }`;
const live = 'subscription Live($names: [String!]!) { availability(domains: $names) { domain } }';
const sha256 = (text: string) => hash('sha256', text);

let offsetMs = 0;
let files = 0;
const clock = { ...systemClock, elapsed: () => systemClock.elapsed() + offsetMs };
const metered = await forThisFile(startMeteredGateway, { clock });
const keys = (...args: readonly string[]) => runKeys(`sqlite:${metered.folder}/gateway.db`, args);
/** A key that is limited to `search` and `live`. */
const page = await create({ [sha256(search)]: search, live });

function fileOf(content: string | object): string {
  const path = join(metered.folder, `documents-${files++}`);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

/** Creates a key that is limited to documents. */
async function create(content: string | object) {
  const args = ['create', '--name', `Page ${files}`, '--json', '--documents', fileOf(content)];
  const { stdout, stderr } = await keys(...args);
  expect(stderr).toBe('');
  const { id, key } = JSON.parse(stdout);
  return { id, ...callerWith(key, metered.gateway.fetch) };
}

const names = ['a.example', 'taken.test'];
const variables = { names };
const rows = [
  { domain: 'a.example', available: true },
  { domain: 'taken.test', available: false },
];
const persistedQuery = (sha256Hash: string) => ({ persistedQuery: { version: 1, sha256Hash } });

async function outcomeOf(response: Response): Promise<unknown> {
  const { data, errors, code } = (await response.json()) as Json;
  return data?.domains ?? [response.status, errors?.[0].extensions.code ?? code];
}

const forbidden = [403, 'forbidden_operation'];

describe('`keys --documents`', () => {
  it('shows the operations to which a key is limited', async () => {
    const file = fileOf(`${search} ${live}`);
    const { stdout } = await keys('create', '--name', 'Shown', '--documents', file);
    expect(stdout).toContain('\nThe key is limited to: Search, Live\n');
    const listed: Json = JSON.parse((await keys('list', '--json')).stdout);
    expect(listed.find(({ name }: Json) => name === 'Shown').documents).toEqual([
      { name: 'Search', ids: [expect.stringMatching(/^[0-9a-f]{64}$/)] },
      { name: 'Live', ids: [expect.stringMatching(/^[0-9a-f]{64}$/)] },
    ]);
    expect((await keys('list')).stdout).toMatch(/DOCUMENTS +RATE\n[^]* Shown .* 2 *(?:\n|$)/);
  });

  it('rejects documents that are not valid, and names the operation', async () => {
    const file = fileOf({ one: search, two: 'query Broken { domain(name: "a") { nothing } }' });
    const { code, stderr } = await keys('create', '--name', 'Broken', '--documents', file);
    expect(code).toBe(2);
    expect(stderr).toBe(
      `--documents ${file}: Operation Broken is not valid: Cannot query field "nothing" on type "Domain".\n`,
    );
    expect((await keys('list')).stdout).not.toContain('Broken');
    const missing = await keys('set', page.id, '--documents', `${file}-missing`);
    expect(missing.code).toBe(2);
    expect(missing.stderr).toContain(': It cannot be read: no such file');
  });
});

describe('a key that is limited to documents', () => {
  it.each<[string, object]>([
    ['as it is listed', { query: search }],
    ['with its operation name', { query: search, operationName: 'Search' }],
    [
      'in another layout and order, with a comment',
      {
        query: `# a comment\nfragment Row on Domain { domain, available }
          query Search($names: [String!]!) { domains(domains: $names) { ...Row } }`,
      },
    ],
    [
      'among other operations',
      { query: `${search} query Other { account { name } }`, operationName: 'Search' },
    ],
    ['by the hash of an automatic persisted query', { extensions: persistedQuery(sha256(search)) }],
    ['with its hash', { query: search, extensions: persistedQuery(sha256(search)) }],
    ['by its identifier', { documentId: sha256(search) }],
    ['by its prefixed identifier', { documentId: `sha256:${sha256(search)}` }],
  ])('runs a document that is sent %s', async (_how, body) => {
    const response = await page.post('/graphql', { ...body, variables });
    expect(await outcomeOf(response)).toEqual(rows);
  });

  it('runs a document in another layout after one with a part of it as its operation name', async () => {
    const [first, second] = [
      'query Halves($names: [String!]!) {',
      'domains(domains: $names) { domain } }',
    ];
    const limited = await create({ halves: `${first}\n${second}` });
    const cut = { query: second, operationName: `\n${first}` };
    expect(await outcomeOf(await limited.post('/graphql', cut))).toEqual(forbidden);
    const response = await limited.post('/graphql', { query: `${first} ${second}`, variables });
    expect(await outcomeOf(response)).toEqual(names.map((domain) => ({ domain })));
  });

  it('runs a document by GET', async () => {
    const parameters = { documentId: sha256(search), variables: JSON.stringify(variables) };
    const response = await page.fetch(`/graphql?${new URLSearchParams(parameters)}`);
    expect(await outcomeOf(response)).toEqual(rows);
  });

  it('runs a subscription by the identifier in its manifest, and by its hash', async () => {
    for (const documentId of ['live', sha256(live)]) {
      const accept = { accept: 'text/event-stream' };
      const response = await page.post('/graphql', { documentId, variables }, accept);
      const events = await remaining(eventsOf(response));
      expect(events.map(({ data }) => data?.data?.availability.domain).toSorted()).toEqual(
        [undefined, ...names].toSorted(),
      );
    }
  });

  it('is charged as usual', async () => {
    const { id, post } = await create(search);
    const { extensions }: Json = await (
      await post('/graphql', { query: search, variables: { names: ['b.example'] } })
    ).json();
    expect(extensions.cost).toMatchObject({ charged: 1 });
    expect((await metered.ledger.balance(id)).used).toBe(1);
  });

  it.each<[string, object]>([
    ['another document', { query: '{ domain(name: "a.example") { available } }' }],
    ['a listed document with another field', { query: search.replace('domain a', 'domain tld a') }],
    [
      'a listed document with another argument',
      { query: search.replace('$names)', '$names, maxAge: 0)') },
    ],
    ['a listed fragment in another operation', { query: search.replace('Search', 'Find') }],
    [
      'another operation beside a listed one',
      { query: `${search} query Other { account { name } }`, operationName: 'Other' },
    ],
    ['an introspection query', { query: '{ __schema { queryType { name } } }' }],
    ['a document that is not valid', { query: '{ unknownField }' }],
    ['a document that does not parse', { query: '{' }],
    ['an unknown identifier', { documentId: 'unknown' }],
    ['an unknown hash', { extensions: persistedQuery(sha256('{ __typename }')) }],
    [
      'another document with the hash of a listed one',
      { query: '{ account { name } }', extensions: persistedQuery(sha256(search)) },
    ],
  ])('is rejected with %s, free of charge', async (_what, body) => {
    const { used } = await metered.ledger.balance(page.id);
    const response = await page.post('/graphql', { ...body, variables: { names: ['c.example'] } });
    expect(await outcomeOf(response)).toEqual(forbidden);
    expect((await metered.ledger.balance(page.id)).used).toBe(used);
    expect(metered.registry.requestCount('c.example')).toBe(0);
  });

  it('is rejected with a document that another key has registered as a persisted query', async () => {
    const other = await metered.newCustomer();
    const query = '{ account { name } }';
    const body = { query, extensions: persistedQuery(sha256(query)) };
    expect((await other.post('/graphql', body)).status).toBe(200);
    const response = await page.post('/graphql', { extensions: body.extensions });
    expect(await outcomeOf(response)).toEqual(forbidden);
  });

  it.each(['/v1/status?domain=a.example', '/v1/rdap?domain=a.example', '/v1/tlds', '/v1/coverage'])(
    'cannot use the REST API: %s',
    async (path) => {
      expect(await outcomeOf(await page.fetch(path))).toEqual(forbidden);
    },
  );

  it('cannot use bulk calls', async () => {
    expect(await outcomeOf(await page.post('/v1/status/bulk', { domains: names }))).toEqual(
      forbidden,
    );
  });

  it('is rejected without a document', async () => {
    const response = await page.post('/graphql', { variables });
    expect(await outcomeOf(response)).toEqual([400, 'invalid_query']);
  });

  it('gets other documents, or none, within 2 seconds', async () => {
    const { id, post } = await create(search);
    const send = async (query: string) =>
      outcomeOf(await post('/graphql', { query, variables: { names: ['taken.test'] } }));
    const other = search.replace('Search', 'Other');
    const found = [{ domain: 'taken.test', available: false }];
    expect([await send(search), await send(other)]).toEqual([found, forbidden]);
    await keys('set', id, '--documents', fileOf(other));
    offsetMs += 2000;
    expect([await send(search), await send(other)]).toEqual([forbidden, found]);
    await keys('set', id, '--documents', 'any');
    offsetMs += 2000;
    expect([await send(search), await send(other)]).toEqual([found, found]);
  });
});
