import { unlistedServers } from '../../../../src/registries/directory/suffix-sources.ts';
import { dasTlds } from '../../../../src/registries/whois/das-services.ts';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  startBootstrap,
  bootstrapOf,
  writeBootstrap,
} from '../../../support/servers/fake-bootstrap.ts';
import { forThisTest } from '../../../support/for-this-test.ts';
import { startFakeRegistry, type FakeRegistry } from '../../../support/servers/fake-registry.ts';
import { startGateway, type Gateway, type Json } from '../../../support/gateways/gateway.ts';
import { manualClock, type ManualClock } from '../../../support/time/manual-clock.ts';
import { json, registered, status } from '../../../support/bodies/replies.ts';
import { startScriptedServer } from '../../../support/servers/scripted-server.ts';

let clock: ManualClock;
let registry: FakeRegistry;
let other: FakeRegistry;
let gateway: Gateway;
beforeEach(async () => {
  clock = manualClock();
  registry = await forThisTest(startFakeRegistry);
  other = await forThisTest(startFakeRegistry);
  registry.fallback(({ name }) => registered(name));
  const shared = { com: registry.baseUrl, fr: registry.baseUrl, 'co.uk': registry.baseUrl };
  gateway = await forThisTest(startGateway, {
    clock,
    registries: { ...shared, net: other.baseUrl, 'xn--o3cw4h': other.baseUrl },
  });
});

/** Removes the TLDs with a built-in source, which the tests do not configure. */
const withoutBuiltIn = (tlds: readonly string[]) =>
  tlds.filter((tld) => !unlistedServers.has(tld) && !dasTlds.includes(tld));
const check = (...names: string[]) =>
  gateway.graphql(`{ domains(domains: ${JSON.stringify(names)}) { status } }`);
const health = async (): Promise<Json> => (await gateway.get('/v1/coverage')).rdap_health;
async function sourceOf({ get }: Gateway): Promise<Json> {
  const { bootstrap_source, bootstrap_last_updated } = await get('/v1/coverage');
  return [bootstrap_source, bootstrap_last_updated];
}
const rowsOf = (fake: FakeRegistry, tlds: readonly string[], metrics: object) =>
  tlds.map((tld) => ({ tld, endpoint: fake.baseUrl, ...metrics }));

describe('GET /v1/coverage', () => {
  it('lists the TLDs that can be looked up, by type', async () => {
    const { gtlds, cctlds, total_tlds, all_tlds } = await gateway.get('/v1/coverage');
    expect(withoutBuiltIn(gtlds)).toEqual(['com', 'net', 'unused']);
    expect(withoutBuiltIn(cctlds)).toEqual(['fr', 'xn--o3cw4h']);
    expect(withoutBuiltIn(all_tlds)).toEqual(['com', 'fr', 'net', 'unused', 'xn--o3cw4h']);
    expect([total_tlds, gtlds.length + cctlds.length]).toEqual([all_tlds.length, all_tlds.length]);
  });

  it('lists the TLDs by source, and those whose names are never available', async () => {
    const { sources, without_availability: without } = await gateway.get('/v1/coverage');
    expect(sources.rdap).toEqual(expect.arrayContaining(['com', 'de', 'ch']));
    expect(sources).toMatchObject({ das: dasTlds.toSorted(), dns: [] });
    // The DNS, which must confirm the answers of unlisted servers, is disabled here.
    expect(without).toContain('de');
    expect(without).not.toContain('com');
    expect(without).not.toContain('ch');
    await using withDns = await startGateway({ env: { SOURCES_FILE: '' } });
    const all = await withDns.get('/v1/coverage');
    expect(all.sources.dns).toEqual(all.all_tlds);
    expect(all.without_availability).toEqual(expect.arrayContaining(['al', 'es']));
    expect(all.without_availability).not.toContain('de');
    expect(all.without_availability).not.toContain('ru');
  });

  it('lists the same TLDs as /v1/tlds', async () => {
    await using offline = await startGateway({
      env: { RDAP_BOOTSTRAP_URL: 'http://127.0.0.1:1/dns.json' },
    });
    const { tlds, total } = await offline.get('/v1/tlds?limit=10000');
    const { all_tlds, gtlds, cctlds, total_tlds } = await offline.get('/v1/coverage');
    expect(all_tlds).toEqual(tlds.map(({ tld }: Json) => tld));
    expect(all_tlds.length).toEqual(total);
    expect(total).toEqual(total_tlds);
    expect(total).toBeGreaterThan(1000);
    const ofType = (tldType: string) =>
      tlds.filter(({ type }: Json) => type === tldType).map(({ tld }: Json) => tld);
    expect([gtlds, cctlds]).toEqual([ofType('gtld'), ofType('cctld')]);
  });

  it('includes the TLDs of RDAP_OVERRIDES', async () => {
    await using file = await writeBootstrap(
      bootstrapOf({ de: registry.baseUrl, zz: registry.baseUrl }),
    );
    await using configured = await startGateway({ env: { RDAP_OVERRIDES: file.path } });
    expect(await configured.get('/v1/coverage')).toMatchObject({
      cctlds: expect.arrayContaining(['de', 'zz']),
      sources: { rdap: expect.arrayContaining(['de', 'zz']) },
    });
  });
});

it('a TLD whose server has only an http: URL is covered only if such servers are allowed', async () => {
  await using httpsOnly = await startGateway({
    registries: { com: registry.baseUrl },
    env: { RDAP_ALLOW_PRIVATE: 'false' },
  });
  const { results } = await httpsOnly.get('/v1/status?domain=a.com');
  expect(results).toMatchObject([{ status: 'unknown' }]);
  const { all_tlds } = await httpsOnly.get('/v1/coverage');
  expect(withoutBuiltIn(all_tlds)).toEqual(['unused']);
  const { data } = await httpsOnly.graphql(
    '{ tlds(search: "com", first: 100) { nodes { label rdap sources { source } } } }',
  );
  expect(data.tlds.nodes).toContainEqual({ label: 'com', rdap: false, sources: [] });
});

describe('the health of registries in /v1/coverage', () => {
  it('has no row before this process has queried a registry', async () => {
    await check('taken.test');
    expect(await health()).toEqual([]);
  });

  it('has a row for each TLD of a registry host that was queried', async () => {
    registry.on('a.com', ({ name }) => {
      clock.advance(40);
      return registered(name);
    });
    await check('a.com');
    expect(await health()).toEqual(
      rowsOf(registry, ['com', 'fr'], { ok: true, p50_ms: 40, error_rate: 0 }),
    );
  });

  it('is not ok while the host has requested a back-off', async () => {
    registry.on('busy.com', status(429, { 'retry-after': '30' }));
    await check('a.com', 'b.com', 'busy.com');
    expect(await health()).toEqual(
      rowsOf(registry, ['com', 'fr'], { ok: false, p50_ms: 0, error_rate: 0.333 }),
    );
    clock.advance(30_000);
    expect(await health()).toEqual(
      rowsOf(registry, ['com', 'fr'], { ok: true, p50_ms: 0, error_rate: 0.333 }),
    );
  });

  it('is not ok while most of the last requests failed', async () => {
    other.fallback(status(500, {}, '{}'));
    await check('a.net');
    expect(await health()).toEqual(
      rowsOf(other, ['net', 'xn--o3cw4h'], { ok: false, p50_ms: 0, error_rate: 1 }),
    );
  });

  it('lists all hosts, ordered by TLD', async () => {
    await check('a.com', 'a.net');
    expect((await health()).map(({ tld }: Json) => tld)).toEqual(
      'com fr net xn--o3cw4h'.split(' '),
    );
  });
});

describe('the source of the coverage', () => {
  it('is the URL of the bootstrap document and its publication date', async () => {
    await using bootstrap = await startBootstrap(bootstrapOf({ com: registry.baseUrl }), { clock });
    await using refreshing = await startGateway({
      clock,
      env: { RDAP_BOOTSTRAP_URL: bootstrap.documentUrl },
    });
    expect(await sourceOf(refreshing)).toEqual([bootstrap.documentUrl, '2026-07-14T22:00:03.000Z']);
    bootstrap.publish({
      ...bootstrapOf({ com: registry.baseUrl }),
      publication: '2026-11-20T01:00:00+01:00',
    });
    clock.advance(24 * 60 * 60 * 1000);
    await expect
      .poll(() => sourceOf(refreshing))
      .toEqual([bootstrap.documentUrl, '2026-11-20T00:00:00.000Z']);
  });

  it('does not contain the query, which may be a secret', async () => {
    await using server = await startScriptedServer(() =>
      json(200, bootstrapOf({ com: registry.baseUrl })),
    );
    const { host } = new URL(server.baseUrl);
    await using configured = await startGateway({
      env: { RDAP_BOOTSTRAP_URL: `http://${host}/dns.json?token=secret` },
    });
    expect(await sourceOf(configured)).toEqual([
      `http://${host}/dns.json`,
      '2026-07-14T22:00:03.000Z',
    ]);
  });

  it('does not contain the path of a file', async () => {
    expect(await sourceOf(gateway)).toEqual(['file', '2026-07-14T22:00:03.000Z']);
  });

  it.each([['soon'], [20261120], [undefined]])(
    'has no date if the document has no valid one: %s',
    async (publication) => {
      await using file = await writeBootstrap({
        ...bootstrapOf({ com: registry.baseUrl }),
        publication,
      });
      await using configured = await startGateway({ env: { RDAP_BOOTSTRAP_URL: file.url } });
      expect(await sourceOf(configured)).toEqual(['file', null]);
    },
  );

  it('is built-in if no document could be loaded', async () => {
    await using offline = await startGateway({
      env: { RDAP_BOOTSTRAP_URL: 'http://127.0.0.1:1/dns.json?token=secret' },
    });
    expect(await sourceOf(offline)).toEqual([
      'built-in',
      expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    ]);
  });
});
