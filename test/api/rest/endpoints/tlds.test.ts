import { describe, expect, it } from 'vitest';
import { builtInTlds } from '../../../../src/registries/directory/tld-list.ts';
import { unlistedServers } from '../../../../src/registries/directory/suffix-sources.ts';
import { dasTlds } from '../../../../src/registries/whois/das-services.ts';
import { writeBootstrap } from '../../../support/servers/fake-bootstrap.ts';
import facts from '../../../../src/registries/directory/tld-facts.json' with { type: 'json' };
import { startFakeRegistry } from '../../../support/servers/fake-registry.ts';
import { forThisFile } from '../../../support/for-this-file.ts';
import { startGateway, type Json } from '../../../support/gateways/gateway.ts';
import { costIn, startMeteredGateway } from '../../../support/gateways/metered-gateway.ts';

const registry = await forThisFile(startFakeRegistry);
const entries = ['com', 'uk', 'co.uk', 'xn--tckwe', 'xn--o3cw4h'];
const gateway = await forThisFile(startGateway, {
  registries: Object.fromEntries(entries.map((entry) => [entry, registry.baseUrl])),
});

const unstated = {
  policy: 'unknown',
  policy_detail: null,
  policy_date: facts.date,
  scripts: null,
  launch: null,
  publishes: expect.any(Object),
};
const row = (tld: string, type: string) => ({
  tld,
  type,
  rdap: true,
  registry_host: new URL(registry.baseUrl).host,
  sources: [{ source: 'rdap', endpoint: registry.baseUrl }],
  proves_available: true,
  ...unstated,
  policy: expect.stringMatching(/^(?:open|unknown)$/),
  scripts: expect.toSatisfy((scripts) => scripts === null || Array.isArray(scripts)),
});

/** The TLDs of the bootstrap document, and those with a built-in source; the DNS is disabled. */
const covered = new Set([
  'com',
  'uk',
  'unused',
  'xn--o3cw4h',
  'xn--tckwe',
  ...unlistedServers.keys(),
  ...dasTlds,
]);
const dns = { source: 'dns', endpoint: null };

/** Starts a gateway with the DNS as a source, and returns its rows of some TLDs. */
async function rowsWithDns(suffixes: Record<string, object>, tlds: readonly string[]) {
  await using file = await writeBootstrap({ suffixes });
  await using withDns = await startGateway({
    registries: { com: registry.baseUrl },
    env: { SOURCES_FILE: file.path },
  });
  const { tlds: rows } = await withDns.get('/v1/tlds?limit=10000');
  return tlds.map((tld) => rows.find((each: Json) => each.tld === tld));
}

describe('GET /v1/tlds', () => {
  it('lists the TLDs that can be looked up alphabetically, without .test and longer suffixes', async () => {
    const { tlds, ...totals } = await gateway.get('/v1/tlds');
    expect(totals).toEqual({ total: covered.size, limit: 100 });
    expect(tlds.map(({ tld }: Json) => tld)).toEqual(Array.from(covered).toSorted());
    const added = ['com', 'uk', 'xn--o3cw4h', 'xn--tckwe'];
    expect(tlds.filter(({ tld }: Json) => added.includes(tld))).toEqual([
      row('com', 'gtld'),
      row('uk', 'cctld'),
      row('xn--o3cw4h', 'cctld'),
      row('xn--tckwe', 'gtld'),
    ]);
  });

  it('lists every TLD if the DNS is a source, each with its sources in order of preference', async () => {
    const [com, ch, de, al] = await rowsWithDns({}, ['com', 'ch', 'de', 'al']);
    expect(com).toMatchObject({ sources: [{ endpoint: registry.baseUrl }, dns] });
    expect(ch).toMatchObject({
      sources: [{ source: 'das' }, { source: 'rdap', endpoint: 'https://rdap.nic.ch/' }, dns],
      proves_available: true,
    });
    expect(de).toMatchObject({
      rdap: true,
      registry_host: 'rdap.denic.de',
      sources: [{ source: 'rdap', endpoint: 'https://rdap.denic.de/' }, dns],
      proves_available: true,
    });
    expect(al).toEqual({
      tld: 'al',
      type: 'cctld',
      rdap: false,
      registry_host: null,
      sources: [dns],
      proves_available: false,
      ...unstated,
      policy_detail: expect.stringContaining('Registrars sell names under .al'),
    });
    await using withDns = await startGateway({ env: { SOURCES_FILE: '' } });
    const { total } = await withDns.get('/v1/tlds?limit=1');
    expect(total).toBe(builtInTlds.size + 1); // `unused` is in the bootstrap document
  });

  it('omits the sources that the operator has disabled', async () => {
    const suffixes = { de: { dns: null }, ch: { das: null }, al: { dns: null } };
    const [de, ch, al] = await rowsWithDns(suffixes, ['de', 'ch', 'al']);
    // The DNS must confirm what this server says about unregistered names.
    expect(de).toMatchObject({ sources: [{ source: 'rdap' }], proves_available: false });
    expect(ch).toMatchObject({ sources: [{ source: 'rdap' }, dns], proves_available: true });
    expect(al).toBeUndefined();
  });

  it('says that a TLD of RDAP_OVERRIDES proves nothing unless its 404s are trusted', async () => {
    await using file = await writeBootstrap({
      services: [[['aa', 'bb'], [registry.baseUrl]]],
      trust404: ['bb'],
    });
    await using configured = await startGateway({ env: { RDAP_OVERRIDES: file.path } });
    const { tlds } = await configured.get('/v1/tlds');
    expect(tlds.filter(({ tld }: Json) => ['aa', 'bb'].includes(tld))).toMatchObject([
      { tld: 'aa', proves_available: false },
      { tld: 'bb', proves_available: true },
    ]);
  });

  it('lists the same TLDs with the same sources as GraphQL', async () => {
    const { data } = await gateway.graphql(
      '{ tlds(set: "@popular") { nodes { label rdap registryHost sources { source endpoint } provesAvailable policy policyDetail policyDate scripts launch { phase } } } }',
    );
    const inGraphql = data.tlds.nodes
      .filter(({ sources }: Json) => sources.length > 0)
      .map(
        ({
          label,
          registryHost,
          provesAvailable,
          policy,
          policyDetail,
          policyDate,
          ...node
        }: Json) => ({
          tld: label,
          registry_host: registryHost,
          proves_available: provesAvailable,
          policy: policy.toLowerCase(),
          policy_detail: policyDetail,
          policy_date: policyDate,
          ...node,
        }),
      );
    const { tlds } = await gateway.get('/v1/tlds');
    expect(tlds.map(({ type: _type, publishes: _publishes, ...rest }: Json) => rest)).toEqual(
      expect.arrayContaining(inGraphql),
    );
    expect(inGraphql.map(({ tld }: Json) => tld)).toContain('eu');
  });

  it.each([
    ['2', 2, 2],
    ['%205%20', 5, 5],
    ['0100', 100, covered.size],
    ['10000', 10_000, covered.size],
    ['10001', 10_000, covered.size],
    ['99999999999999999999', 10_000, covered.size],
  ])('returns as many as limit=%s allows', async (sent, limit, rows) => {
    const body = await gateway.get(`/v1/tlds?limit=${sent}`);
    expect([body.limit, body.total, body.tlds.length]).toEqual([limit, covered.size, rows]);
  });

  it.each(['0', '-1', '1.5', '1e3', '0x10', 'all', '1,2', '٣'])(
    'rejects limit=%s',
    async (limit) => {
      const response = await gateway.fetch(`/v1/tlds?limit=${encodeURIComponent(limit)}`);
      expect(response.status).toBe(400);
      const body = await response.json();
      expect(body).toEqual(expect.objectContaining({ code: 'invalid_parameter', param: 'limit' }));
    },
  );

  it.each([
    ['limit=1&limit=2', 'invalid_parameter', 'limit'],
    ['limit=', 'missing_parameter', 'limit'],
    ['naming=camel', 'invalid_naming', 'naming'],
    ['naming=', 'missing_parameter', 'naming'],
  ])('rejects ?%s', async (query, code, param) => {
    expect(await gateway.get(`/v1/tlds?${query}`)).toMatchObject({ status: 400, code, param });
  });

  it('names every invalid parameter', async () => {
    const { errors } = await gateway.get('/v1/tlds?limit=x&naming=camel');
    expect(errors.map(({ param }: Json) => param)).toEqual(['limit', 'naming']);
  });
});

describe.each(['/v1/tlds', '/v1/coverage'])('GET %s', (path) => {
  it('has the same body with naming=snake', async () => {
    const plain = await gateway.get(path);
    expect(await gateway.get(`${path}?naming=snake`)).toEqual(plain);
    expect(
      await (await gateway.fetch(path, { headers: { 'service-naming': 'snake' } })).json(),
    ).toEqual(plain);
  });

  it('must be revalidated each time, with a 304 if nothing has changed', async () => {
    const first = await gateway.fetch(path);
    expect(first.headers.get('cache-control')).toBe('private, no-cache');
    const etag = first.headers.get('etag') ?? '';
    const second = await gateway.fetch(path, { headers: { 'if-none-match': etag } });
    expect(second.status).toBe(304);
    expect(await second.text()).toBe('');
    expect(second.headers.get('etag')).toEqual(etag);
    expect(second.headers.has('content-type')).toBe(false);
    const head = await gateway.fetch(path, { method: 'HEAD' });
    expect([head.status, await head.text(), head.headers.get('etag')]).toEqual([200, '', etag]);
  });

  it('supports only GET', async () => {
    const response = await gateway.post(path, {});
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });

  it('checks the key and costs no credits, even if none are left', async () => {
    await using metered = await startMeteredGateway();
    const { fetch } = await metered.newCustomer({ credits: 0 });
    const response = await fetch(path);
    expect(response.status).toBe(200);
    expect(costIn(response)).toEqual({ requested: 0, charged: 0, refunded: 0, remaining: 0 });
    const etag = response.headers.get('etag') ?? '';
    expect((await fetch(path, { headers: { 'if-none-match': etag } })).status).toBe(304);
    for (const [key, code] of [
      ['wrong', 'invalid_api_key'],
      [undefined, 'missing_api_key'],
    ] as const) {
      const headers = { 'if-none-match': etag, ...(key && { 'x-api-key': key }) };
      const rejected = await metered.gateway.fetch(path, { headers });
      expect([rejected.status, (await rejected.json()).code]).toEqual([401, code]);
    }
  });

  it('counts against the rate limit', async () => {
    await using metered = await startMeteredGateway({ env: { RATE_LIMIT: '10' } });
    const { fetch } = await metered.newCustomer();
    const remaining = async () => Number((await fetch(path)).headers.get('x-ratelimit-remaining'));
    const first = await remaining();
    expect(await remaining()).toBe(first - 1);
  });

  it('queries no registry', async () => {
    await gateway.get(path);
    expect(registry.requests).toEqual([]);
  });
});
