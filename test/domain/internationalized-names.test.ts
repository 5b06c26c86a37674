import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFakeRegistry, type FakeRegistry } from '../support/fake-registry.ts';
import { startGateway, type Gateway } from '../support/gateway.ts';
import { registered } from '../support/replies.ts';

let registry: FakeRegistry;
let gateway: Gateway;
beforeAll(async () => {
  registry = await startFakeRegistry();
  registry.on(/^(?:nic|xn--bcher-kva)\./, ({ name }) =>
    registered(name, { members: { unicodeName: 'bücher.рф' } }),
  );
  gateway = await startGateway({
    registries: { рф: registry.baseUrl, registry: registry.baseUrl },
  });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await registry.close();
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
      expect((await gateway.get(`/v1/status?${query}`)).results).toMatchObject([
        { ...row, tld: 'xn--p1ai' },
      ]);
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
