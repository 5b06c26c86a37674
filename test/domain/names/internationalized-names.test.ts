import { describe, expect, it } from 'vitest';
import { startFakeRegistry } from '../../support/servers/fake-registry.ts';
import { forThisFile } from '../../support/for-this-file.ts';
import { startGateway } from '../../support/gateways/gateway.ts';
import { connectMcp } from '../../support/requests/mcp-client.ts';
import { registered } from '../../support/bodies/replies.ts';

const registry = await forThisFile(startFakeRegistry);
registry.on(/^(?:nic|xn--bcher-kva)\./, ({ name }) =>
  registered(name, { members: { unicodeName: 'bücher.рф' } }),
);
const gateway = await forThisFile(startGateway, {
  registries: { рф: registry.baseUrl, registry: registry.baseUrl },
});

const fields = 'domain unicodeName name tld available rdap { ldhName unicodeName }';
const bücher = {
  domain: 'xn--bcher-kva.xn--p1ai',
  unicodeName: 'bücher.рф',
  name: 'xn--bcher-kva',
  tld: 'xn--p1ai',
  available: false,
  rdap: { ldhName: 'xn--bcher-kva.xn--p1ai', unicodeName: 'bücher.рф' },
};

describe('an internationalized name', () => {
  it.each([
    ['Bücher', 'РФ'],
    ['xn--bcher-kva', 'xn--p1ai'],
    ['XN--BCHER-KVA', '.рф'],
    ['BU\u0308CHER', '．рф'],
    ['ｂüｃｈｅｒ', 'рф.'],
  ])('is normalized in GraphQL when sent as %s and %s', async (name, tld) => {
    const query = (call: string) =>
      gateway.graphql(`query ($name: String!, $tld: String!) { row: ${call} { ${fields} } }`, {
        name,
        tld,
      });
    expect((await query('domain(name: $name, tld: $tld)')).data.row).toEqual(bücher);
    expect((await query('domains(name: $name, tlds: [$tld])')).data.row).toEqual([bücher]);
  });

  it.each(['bücher.рф', 'xn--bcher-kva.xn--p1ai', 'Bücher。xn--p1ai.', ' xn--bcher-kva.РФ '])(
    'is normalized in both APIs when sent as %s',
    async (domain) => {
      const { data } = await gateway.graphql(
        `query ($domain: String!) { domain(name: $domain) { ${fields} } }`,
        { domain },
      );
      expect(data.domain).toEqual(bücher);
      const query = `domain=${encodeURIComponent(domain)}`;
      const row = { domain: bücher.domain, available: false, status: 'registered' };
      const { results } = await gateway.get(`/v1/status?${query}`);
      expect(results).toMatchObject([{ ...row, tld: 'xn--p1ai' }]);
      expect(await gateway.get(`/v1/rdap?${query}`)).toMatchObject(row);
    },
  );

  it('is looked up under several TLDs in REST', async () => {
    const body = await gateway.get(
      `/v1/status?name=${encodeURIComponent('Bücher')}&tlds=${encodeURIComponent('РФ,registry')}`,
    );
    expect(body).toMatchObject({
      name: 'xn--bcher-kva',
      results: [
        { domain: 'xn--bcher-kva.xn--p1ai', tld: 'xn--p1ai', available: false },
        { domain: 'xn--bcher-kva.registry', tld: 'registry', available: false },
      ],
    });
  });

  it('is sent to the registry as lower-case A-labels', async () => {
    await gateway.get(`/v1/status?domain=${encodeURIComponent('ГОРОД。РФ')}`);
    expect(registry.requestCount('xn--c1ac3aaj.xn--p1ai')).toBe(1);
    for (const { url } of registry.requests) expect(url).toMatch(/^\/domain\/[a-z0-9.-]+$/);
  });

  it('distinguishes a sharp s from ss', async () => {
    const { results } = await gateway.get(
      `/v1/status?domain=${encodeURIComponent('faß.registry,fass.registry')}`,
    );
    expect(results.map(({ domain }: { domain: string }) => domain)).toEqual([
      'xn--fa-hia.registry',
      'fass.registry',
    ]);
  });

  it.each([
    'xn--a.registry',
    'xn--example-.registry',
    'a\u200cb.registry',
    'ab--cd.registry',
    'אa1.registry',
  ])('that is invalid is rejected without a registry request: %j', async (domain) => {
    const before = registry.requests.length;
    const { errors } = await gateway.graphql(
      'query ($domain: String!) { domain(name: $domain) { available } }',
      { domain },
    );
    expect(errors[0].extensions.code).toBe('invalid_name');
    const { results } = await gateway.get(`/v1/status?domain=${encodeURIComponent(domain)}`);
    expect(results).toMatchObject([
      { domain, available: null, status: 'invalid', reason: 'invalid_name' },
    ]);
    expect((await gateway.fetch(`/v1/rdap?domain=${encodeURIComponent(domain)}`)).status).toBe(400);
    expect(registry.requests.length).toBe(before);
  });
});

describe('a name with characters that IDNA 2008 does not allow', () => {
  const typed = 'best‑coffee.registry'; // U+2011, a non-breaking hyphen
  const suggestion = 'Did you mean best-coffee.registry?';

  it('is invalid in GraphQL, and the plain spelling is suggested', async () => {
    const before = registry.requests.length;
    const body = await gateway.graphql(
      `query ($typed: String!) {
        joined: domain(name: $typed) { status }
        rows: domains(domains: [$typed]) { domain status available problem { code detail } }
      }`,
      { typed },
    );
    expect(body.errors[0]).toMatchObject({
      path: ['joined'],
      message: expect.stringContaining(suggestion),
      extensions: { code: 'invalid_name' },
    });
    const { data } = await gateway.graphql(
      `query ($typed: String!) {
            domains(domains: [$typed]) { domain status available problem { code detail } }
          }`,
      { typed },
    );
    expect(data.domains).toEqual([
      {
        domain: typed,
        status: 'INVALID',
        available: null,
        problem: { code: 'invalid_name', detail: expect.stringContaining(suggestion) },
      },
    ]);
    expect(registry.requests.length).toBe(before);
  });

  it('is invalid in REST and for RDAP clients', async () => {
    const before = registry.requests.length;
    const encoded = encodeURIComponent(typed);
    const row = { domain: typed, available: null, status: 'invalid', reason: 'invalid_name' };
    expect((await gateway.get(`/v1/status?domain=${encoded}`)).results).toMatchObject([row]);
    const bulk = await gateway.post('/v1/status/bulk', { domains: [typed] });
    expect((await bulk.json()).results).toMatchObject([row]);
    const pairs = await gateway.post('/v1/status/bulk', {
      names: ['best‑coffee'],
      tlds: ['registry'],
    });
    expect((await pairs.json()).results).toMatchObject([row]);
    for (const path of [
      `/v1/rdap?domain=${encoded}`,
      `/rdap/domain/${encoded}`,
      `/v1/status?name=${encodeURIComponent('best‑coffee')}&tlds=registry`,
    ]) {
      const response = await gateway.fetch(path);
      expect(response.status, path).toBe(400);
      expect(await response.text(), path).toContain('Did you mean best-coffee');
    }
    expect(registry.requests.length).toBe(before);
  });

  it('is invalid for agents, which write such hyphens', async () => {
    await using mcp = await connectMcp(gateway.url);
    const { structuredContent, content } = await mcp.call('check_domains', { names: [typed] });
    expect(structuredContent?.['results']).toMatchObject([
      { domain: typed, available: null, status: 'invalid', reason: 'invalid_name' },
    ]);
    expect(JSON.stringify(content)).toContain(suggestion);
    const single = await mcp.call('lookup_domain', { name: typed });
    expect(single.isError).toBe(true);
    expect(JSON.stringify(single.content)).toContain(suggestion);
  });

  it('is looked up if it is sent as an A-label', async () => {
    const { results } = await gateway.get('/v1/status?domain=xn--bestcoffee-tt6e.registry');
    expect(results).toMatchObject([{ domain: 'xn--bestcoffee-tt6e.registry', available: true }]);
  });

  it('does not hide the nameservers of a registry', async () => {
    registry.on(
      'emoji-servers.registry',
      registered('emoji-servers.registry', {
        members: {
          nameservers: [{ objectClassName: 'nameserver', unicodeName: 'ns1.💩.registry' }],
        },
      }),
    );
    const { data } = await gateway.graphql(
      '{ domain(name: "emoji-servers.registry") { rdap { nameservers } } }',
    );
    expect(data.domain.rdap.nameservers).toEqual(['ns1.xn--ls8h.registry']);
  });
});

describe('a name with emoji', () => {
  it('is looked up under country codes only', async () => {
    const { results } = await gateway.get(
      `/v1/status?name=${encodeURIComponent('💩')}&tlds=registry,${encodeURIComponent('рф')}`,
    );
    expect(results).toMatchObject([
      { tld: 'registry', status: 'invalid' },
      // The table of the registry has Cyrillic letters only.
      { tld: 'xn--p1ai', status: 'reserved', available: false },
    ]);
    const { data } = await gateway.graphql(
      'query ($names: [String!]) { domains(domains: $names) { domain status } }',
      { names: ['💩.registry', '💩.рф', 'xn--ls8h.registry'] },
    );
    expect(data.domains).toEqual([
      { domain: '💩.registry', status: 'INVALID' },
      { domain: 'xn--ls8h.xn--p1ai', status: 'RESERVED' },
      { domain: 'xn--ls8h.registry', status: 'AVAILABLE' },
    ]);
  });

  it('is priced like its valid names in both forms', async () => {
    const { data, errors } = await gateway.graphql(
      'query ($name: String!) { domain(name: $name, tld: "registry") { status } }',
      { name: '💩' },
    );
    expect([data.domain, errors[0].extensions.code]).toEqual([null, 'invalid_name']);
  });
});
