import { beforeEach, describe, expect, it } from 'vitest';
import { parseSuffix, toUnicodeName } from '../../../src/domain/names/domain-name.ts';
import { tldSets } from '../../../src/domain/names/tld-sets.ts';
import { readBootstrap } from '../../../src/registries/directory/bootstrap-parser.ts';
import table from '../../../src/registries/directory/bootstrap-table.json' with { type: 'json' };
import { builtInTlds } from '../../../src/registries/directory/tld-list.ts';
import { unlistedServers } from '../../../src/registries/directory/suffix-sources.ts';
import { sandboxSuffixes } from '../../../src/sandbox/names.ts';
import { dasTlds } from '../../../src/registries/whois/das-services.ts';
import { whoisTlds } from '../../../src/registries/whois/whois-format.ts';
import {
  bootstrapOf,
  startBootstrap,
  writeBootstrap,
} from '../../support/servers/fake-bootstrap.ts';
import { forThisTest } from '../../support/for-this-test.ts';
import { startFakeRegistry, type FakeRegistry } from '../../support/servers/fake-registry.ts';
import { startGateway, type Gateway, type Json } from '../../support/gateways/gateway.ts';
import { manualClock, type ManualClock } from '../../support/time/manual-clock.ts';
import { registered, status } from '../../support/bodies/replies.ts';
import { paused } from '../../support/bodies/scripts.ts';

let clock: ManualClock;
let registry: FakeRegistry;
let other: FakeRegistry;
let gateway: Gateway;
beforeEach(async () => {
  clock = manualClock();
  registry = await forThisTest(startFakeRegistry);
  other = await forThisTest(startFakeRegistry);
  registry.fallback(({ name }) => registered(name));
  const registries = {
    com: registry.baseUrl,
    net: registry.baseUrl,
    'co.uk': registry.baseUrl,
    'xn--tckwe': other.baseUrl,
  };
  gateway = await forThisTest(startGateway, {
    clock,
    registries,
    env: { SANDBOX: 'off', RDAP_CONCURRENCY: '2' },
  });
});

const hostOf = ({ baseUrl }: FakeRegistry) => new URL(baseUrl).host;

async function queryTlds(args: string, fields: string): Promise<Json> {
  const { data, errors } = await gateway.graphql(`{ tlds${args && `(${args})`} { ${fields} } }`);
  return data?.tlds ?? errors;
}
const labels = async (args: string): Promise<string[]> =>
  (await queryTlds(args, 'nodes { label }')).nodes.map(({ label }: Json) => label);

describe('the catalogue', () => {
  it('lists the sources of each TLD', async () => {
    const { nodes } = await queryTlds(
      'search: "co"',
      'nodes { id label unicodeLabel rdap registryHost sources { source endpoint } provesAvailable }',
    );
    const served = {
      rdap: true,
      registryHost: hostOf(registry),
      sources: [{ source: 'rdap', endpoint: registry.baseUrl }],
      provesAvailable: true,
    };
    const unlisted = {
      rdap: true,
      registryHost: 'rdap.registry.co',
      sources: [{ source: 'rdap', endpoint: 'https://rdap.registry.co/co/' }],
      // Only the DNS could confirm that a name is available, and it is disabled here.
      provesAvailable: false,
    };
    expect(nodes.filter(({ label }: Json) => ['co', 'co.uk', 'com'].includes(label))).toEqual([
      { id: 'tld:co', label: 'co', unicodeLabel: 'co', ...unlisted },
      { id: 'tld:co.uk', label: 'co.uk', unicodeLabel: 'co.uk', ...served },
      { id: 'tld:com', label: 'com', unicodeLabel: 'com', ...served },
    ]);
  });

  it('includes the sources of the sandbox', async () => {
    await using sandbox = await startGateway();
    const { data } = await sandbox.graphql(
      '{ tlds(search: "only.test") { nodes { label rdap health { queued } sources { source endpoint } provesAvailable } } }',
    );
    const dns = { source: 'dns', endpoint: null };
    expect(data.tlds.nodes).toEqual([
      {
        label: 'das-only.test',
        rdap: false,
        health: null,
        sources: [{ source: 'das', endpoint: expect.stringMatching(/^das:/) }, dns],
        provesAvailable: true,
      },
      { label: 'dns-only.test', rdap: false, health: null, sources: [dns], provesAvailable: false },
      {
        label: 'whois-only.test',
        rdap: false,
        health: null,
        sources: [{ source: 'whois', endpoint: expect.stringMatching(/^whois:/) }, dns],
        provesAvailable: true,
      },
    ]);
  });

  it.each(['コム', 'xn--tckwe', ' .コム '])(
    'finds a TLD by U-label or A-label: %s',
    async (search) => {
      const { nodes } = await queryTlds(`search: "${search}"`, 'nodes { label unicodeLabel rdap }');
      expect(nodes).toEqual([{ label: 'xn--tckwe', unicodeLabel: 'コム', rdap: true }]);
    },
  );

  it('lists TLDs without an RDAP server, each once', async () => {
    const { totalCount } = await queryTlds('', 'totalCount');
    expect(totalCount).toBe(
      new Set([...builtInTlds, 'com', 'net', 'co.uk', 'xn--tckwe', 'unused']).size,
    );
    const { nodes } = await queryTlds('search: "ru"', 'nodes { label rdap health { queued } }');
    expect(nodes).toContainEqual({ label: 'ru', rdap: false, health: null });
  });

  it('includes servers that the operator adds for one TLD or for all', async () => {
    await using file = await writeBootstrap({
      services: [
        [['de'], [other.baseUrl]],
        [[''], [registry.baseUrl]],
      ],
    });
    await using own = await startGateway({ env: { RDAP_OVERRIDES: file.path } });
    const { data } = await own.graphql(
      '{ de: tlds(search: "de") { nodes { ...T } } io: tlds(search: "io") { nodes { ...T } } } fragment T on Tld { label registryHost }',
    );
    expect(data.de.nodes).toContainEqual({ label: 'de', registryHost: hostOf(other) });
    expect(data.io.nodes).toContainEqual({ label: 'io', registryHost: hostOf(registry) });
  });

  it('is updated with the bootstrap document', async () => {
    await using bootstrap = await startBootstrap(bootstrapOf({ lantern: registry.baseUrl }), {
      clock,
    });
    await using following = await startGateway({
      clock,
      env: { RDAP_BOOTSTRAP_URL: bootstrap.documentUrl },
    });
    const served = async () =>
      (
        await following.graphql(
          '{ old: tlds(search: "lantern") { totalCount } new: tlds(search: "compass") { totalCount } }',
        )
      ).data;
    expect(await served()).toEqual({ old: { totalCount: 1 }, new: { totalCount: 0 } });
    bootstrap.publish(bootstrapOf({ lantern: registry.baseUrl, compass: registry.baseUrl }));
    clock.advance(24 * 60 * 60 * 1000);
    await expect.poll(served).toEqual({ old: { totalCount: 1 }, new: { totalCount: 1 } });
  });

  it('is in alphabetical order and queries no registry', async () => {
    const all = await labels('first: 100');
    expect(all).toEqual(all.toSorted());
    expect(registry.requests).toEqual([]);
  });
});

describe('a page of the catalogue', () => {
  const page =
    'edges { cursor node { label } } nodes { label } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } totalCount';

  it('leads to the next page until all TLDs were returned once', async () => {
    const seen: string[] = [];
    let after = '';
    for (let more = true; more;) {
      const { edges, nodes, pageInfo } = await queryTlds(`first: 60${after}`, page);
      expect(nodes).toEqual(edges.map(({ node }: Json) => node));
      expect(pageInfo).toMatchObject({
        startCursor: edges[0].cursor,
        endCursor: edges.at(-1).cursor,
        hasPreviousPage: seen.length > 0,
      });
      seen.push(...nodes.map(({ label }: Json) => label));
      after = `, after: "${pageInfo.endCursor}"`;
      more = pageInfo.hasNextPage;
    }
    const { totalCount } = await queryTlds('', 'totalCount');
    expect([seen.length, new Set(seen).size]).toEqual([totalCount, totalCount]);
  });

  it('has no next page if it contains the last TLD', async () => {
    expect(
      await queryTlds('search: "co.uk", first: 1', 'nodes { label } pageInfo { hasNextPage }'),
    ).toEqual({ nodes: [{ label: 'co.uk' }], pageInfo: { hasNextPage: false } });
  });

  it('leads to the previous page until all TLDs were returned once', async () => {
    const seen: string[] = [];
    let before = '';
    for (let more = true; more;) {
      const { nodes, pageInfo } = await queryTlds(`last: 60${before}`, page);
      expect(pageInfo).toMatchObject({
        endCursor: nodes.at(-1).label,
        hasNextPage: seen.length > 0,
      });
      seen.unshift(...nodes.map(({ label }: Json) => label));
      before = `, before: "${pageInfo.startCursor}"`;
      more = pageInfo.hasPreviousPage;
    }
    const { totalCount } = await queryTlds('', 'totalCount');
    expect(seen).toEqual(seen.toSorted());
    expect(new Set(seen).size).toBe(totalCount);
  });

  // The algorithm of the Relay Cursor Connections Specification, section 4. `C0` is the cursor of
  // the first TLD.
  it.each([
    ['first: 2', [0, 1], true, false],
    ['last: 2', [-2, -1], false, true],
    ['first: 2, after: "C0"', [1, 2], true, true],
    ['last: 2, before: "C4"', [2, 3], true, true],
    ['last: 4, before: "C4"', [0, 1, 2, 3], true, false],
    ['first: 9, before: "C2"', [0, 1], false, false],
    ['before: "C2"', [0, 1], false, false],
    ['after: "C0", before: "C3"', [1, 2], false, true],
    ['after: "C3", before: "C1"', [], false, true],
    ['after: "C1", before: "C1"', [], false, true],
    ['last: 1, after: "C0", before: "C3"', [2], true, true],
    ['last: 9, after: "C0", before: "C3"', [1, 2], true, false],
    ['first: 3, last: 2', [1, 2], true, true],
    ['first: 3, last: 3, before: "C3"', [0, 1, 2], false, false],
    ['last: 0', [], false, true],
  ])('follows the specification: %s', async (args, indices, hasNextPage, hasPreviousPage) => {
    const all = await labels('search: "co", first: 100');
    expect(all.length).toBeGreaterThan(5);
    const pageArgs = args.replaceAll(
      /C(\d)/g,
      (_cursor, index: string) => all[Number(index)] ?? '',
    );
    expect(
      await queryTlds(
        `search: "co", ${pageArgs}`,
        'nodes { label } pageInfo { hasNextPage hasPreviousPage }',
      ),
    ).toEqual({
      nodes: indices.map((index) => ({ label: all.at(index) })),
      pageInfo: { hasNextPage, hasPreviousPage },
    });
  });

  it('has 50 TLDs by default', async () => {
    expect((await labels('')).length).toBe(50);
  });

  it('may be empty', async () => {
    const nothing = {
      edges: [],
      nodes: [],
      pageInfo: expect.objectContaining({ startCursor: null, endCursor: null }),
    };
    expect(await queryTlds('first: 0', page)).toMatchObject({
      ...nothing,
      pageInfo: { hasNextPage: true },
    });
    expect(await queryTlds('search: "no-such"', page)).toEqual({ ...nothing, totalCount: 0 });
  });

  it.each([
    ['first', 'first: -1'],
    ['first', 'first: 101'],
    ['last', 'last: -1'],
    ['last', 'last: 101'],
    ['last', 'first: 1, last: 2147483647'],
    ['before', 'before: "no-such"'],
    ['before', 'last: 1, before: ""'],
    ['after', 'after: "no-such"'],
    ['after', 'after: ""'],
    ['after', 'after: "net", set: "@new"'],
    ['set', 'set: "@no-such"'],
    ['set', 'set: "constructor"'],
    ['set', 'set: ""'],
  ])('is rejected with param %s for %s', async (param, args) => {
    expect(await queryTlds(args, 'totalCount')).toMatchObject([
      { path: ['tlds'], extensions: { code: 'invalid_parameter', param } },
    ]);
  });
});

/** Returns the health of the host of .com. */
async function health(): Promise<Json> {
  const { nodes } = await queryTlds(
    'search: "com"',
    'nodes { label health { queued retryAt p50Ms errorRate } }',
  );
  return nodes.find(({ label }: Json) => label === 'com').health;
}
const check = (...names: string[]) =>
  gateway.graphql(`{ domains(domains: ${JSON.stringify(names)}) { status } }`);

describe('the health of a registry host', () => {
  it('is an empty queue before the first request', async () => {
    expect(await health()).toEqual({ queued: 0, retryAt: null, p50Ms: null, errorRate: null });
  });

  it('counts queued requests of all its TLDs', async () => {
    const reply = paused(({ name }) => registered(name));
    registry.fallback(reply);
    const answer = check('a.com', 'b.com', 'c.com', 'd.net', 'e.net');
    await registry.when(({ inFlight }) => inFlight === 2);
    expect(await health()).toMatchObject({ queued: 3 });
    reply.release();
    await answer;
    expect(await health()).toMatchObject({ queued: 0, errorRate: 0 });
  });

  it('includes the median response time', async () => {
    for (const ms of [10, 40, 90]) {
      registry.on(`takes${ms}.com`, ({ name }) => {
        clock.advance(ms);
        return registered(name);
      });
      await check(`takes${ms}.com`);
    }
    expect(await health()).toMatchObject({ p50Ms: 40, errorRate: 0 });
  });

  it('includes the end of a back-off', async () => {
    registry.on('busy.com', status(429, { 'retry-after': '30' }));
    await check('well.com', 'busy.com');
    expect(await health()).toMatchObject({
      retryAt: new Date(clock.now() + 30_000).toISOString(),
      errorRate: 0.5,
    });
    clock.advance(30_000);
    expect(await health()).toMatchObject({ retryAt: null });
  });

  it('includes the error rate, and the time of the next probe of an open circuit breaker', async () => {
    registry.fallback(status(500));
    await check(...Array.from({ length: 12 }, (_, index) => `down${index}.com`));
    expect(await health()).toMatchObject({ errorRate: 1, retryAt: expect.any(String) });
  });
});

it('the set of all TLDs lists those that can be looked up, without longer suffixes', async () => {
  expect(await labels('set: "all", first: 100')).toContain('com');
  const { totalCount } = await queryTlds('set: "@all"', 'totalCount');
  expect(totalCount).toBe((await gateway.get('/v1/tlds')).total);
  expect(await labels('set: "all", search: "co.uk"')).toEqual([]);
});

describe('a named set', () => {
  const served = new Set([
    ...readBootstrap(table).keys(),
    ...unlistedServers.keys(),
    ...dasTlds,
    ...whoisTlds,
    ...sandboxSuffixes,
  ]);

  /** Wanted by many, although nothing proves that a name under them is available. */
  const unproven = new Set(['es', 'se']);

  it.each(Object.entries(tldSets))(
    '@%s contains distinct TLDs, nearly all with a source that can prove availability, at most as many as one call allows',
    (_name, { reason, tlds }) => {
      expect(
        tlds.filter(
          (tld) =>
            !(served.has(tld) || unproven.has(tld)) ||
            parseSuffix(tld) !== tld ||
            toUnicodeName(tld) !== tld,
        ),
      ).toEqual([]);
      expect(new Set(tlds).size).toBe(tlds.length);
      expect(tlds.length).toBeLessThanOrEqual(50);
      expect(reason).toMatch(/^[A-Z].+\.$/);
    },
  );

  it.each(['@popular', 'popular', ' @POPULAR '])('is listed in its own order: %s', async (set) => {
    await using full = await startGateway({
      registries: Object.fromEntries([...served].map((tld) => [tld, registry.baseUrl])),
    });
    const { data } = await full.graphql(`{ tlds(set: "${set}") { nodes { label rdap } } }`);
    expect(data.tlds.nodes).toEqual(
      tldSets['popular']?.tlds.map((label) => ({ label, rdap: true })),
    );
  });

  it('is replaced by its TLDs without duplicates in both APIs', async () => {
    await using sandbox = await startGateway();
    const expected = ['taken.dev.test', 'taken.test', 'taken.shop.test', 'taken.app.test'];
    const { data } = await sandbox.graphql(
      '{ domains(name: "taken", tlds: ["dev.test", "@Test", "test"]) { domain available } }',
    );
    expect(data.domains).toEqual(expected.map((domain) => ({ domain, available: false })));
    const { results } = await sandbox.get('/v1/status?name=taken&tlds=dev.test,@test,test');
    expect(results.map(({ domain }: Json) => domain)).toEqual(expected);
  });

  it('is replaced by its TLDs in a bulk call, each with its own input', async () => {
    await using sandbox = await startGateway();
    const answer = await sandbox.post('/v1/status/bulk', {
      names: ['taken', 'free'],
      tlds: ['@test'],
    });
    const { results } = await answer.json();
    const inputs = ['taken', 'free'].flatMap((name) =>
      ['test', 'shop.test', 'app.test', 'dev.test'].map((tld) => `${name}.${tld}`),
    );
    expect(results.map(({ input }: Json) => input)).toEqual(inputs);
  });

  it('counts as its number of TLDs towards limits', async () => {
    const { code, param } = await gateway.get(
      '/v1/status?name=taken&tlds=@popular,@tech,@business',
    );
    expect({ code, param }).toEqual({ code: 'too_many_tlds', param: 'tlds' });
    const sets = Object.keys(tldSets).map((name) => `@${name}`);
    await using strict = await startGateway({ env: { MAX_LOOKUPS: '20' } });
    const { errors } = await strict.graphql(
      'query ($tlds: [String!]) { domains(name: "taken", tlds: $tlds) { status } }',
      { tlds: sets },
    );
    expect(errors[0].extensions.code).toBe('too_many_lookups');
  });
});
