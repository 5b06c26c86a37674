import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type Gateway, type Json } from '../support/gateway.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({
    registries: { com: 'http://registry.invalid/', de: 'http://registry.invalid/' },
  });
});
afterAll(() => gateway[Symbol.asyncDispose]());

async function publishesOf(tld: string): Promise<Json> {
  const fields = 'registrar created expires nameservers registrant';
  const { data } = await gateway.graphql(
    `query ($id: ID!) { node(id: $id) { ... on Tld {
      publishes { ${fields} }
    } } }`,
    { id: `tld:${tld}` },
  );
  return data.node.publishes;
}

const rowOf = async (tld: string): Promise<Json> => {
  const { tlds } = await gateway.get('/v1/tlds?limit=10000');
  return tlds.find((row: Json) => row.tld === tld);
};

describe('what a registry publishes', () => {
  it('is documented for a TLD, or null', async () => {
    expect(await publishesOf('de')).toMatchObject({ registrar: false, created: false });
    const documented = await publishesOf('com');
    expect(documented).toEqual({
      registrar: true,
      created: true,
      expires: true,
      nameservers: true,
      registrant: false,
    });
    expect((await rowOf('com')).publishes).toEqual(documented);
    const { publishes } = await gateway.get('/v1/coverage');
    expect(publishes.registrant).not.toContain('com');
    expect(publishes.expires).toContain('com');
    expect(publishes.expires).not.toContain('de');
  });
});
