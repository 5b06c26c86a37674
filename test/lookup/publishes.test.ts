import { describe, expect, it } from 'vitest';
import { startFakeRegistry } from '../support/servers/fake-registry.ts';
import { forThisFile } from '../support/for-this-file.ts';
import { startGateway, type Json } from '../support/gateways/gateway.ts';
import { jumpingClock } from '../support/time/jumping-clock.ts';
import { registered } from '../support/bodies/replies.ts';

const registry = await forThisFile(startFakeRegistry);
registry.on(/^(?:nic|taken|held)\./, ({ name }) => registered(name));
const clock = jumpingClock();
const gateway = await forThisFile(startGateway, {
  registries: { com: registry.baseUrl, de: registry.baseUrl },
  clock,
});

async function publishesOf(tld: string): Promise<Json> {
  const fields = 'registrar created expires nameservers registrant';
  const { data } = await gateway.graphql(
    `query ($id: ID!) { node(id: $id) { ... on Tld {
      publishes { ${fields} observed { registrations ${fields} } }
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
    const { observed, ...documented } = await publishesOf('com');
    expect(documented).toEqual({
      registrar: true,
      created: true,
      expires: true,
      nameservers: true,
      registrant: false,
    });
    expect(observed).toEqual({
      registrations: 0,
      registrar: null,
      created: null,
      expires: null,
      nameservers: null,
      registrant: null,
    });
    expect((await rowOf('com')).publishes).toEqual(documented);
    const { publishes } = await gateway.get('/v1/coverage');
    expect(publishes.registrant).not.toContain('com');
    expect(publishes.expires).toContain('com');
    expect(publishes.expires).not.toContain('de');
  });

  it('is counted from registrations that are read, without cached ones, for 30 days', async () => {
    for (const path of ['taken.com', 'taken.com', 'held.com', 'free.com'])
      await gateway.get(`/v1/rdap?domain=${path}`);
    await gateway.get('/v1/status?domain=nic.com');
    const { observed } = await publishesOf('com');
    expect(observed).toMatchObject({ registrations: 2, nameservers: 1, registrant: 0 });
    expect((await rowOf('com')).publishes.observed).toEqual(observed);
    expect((await publishesOf('de')).observed.registrations).toBe(0);
    clock.advance(31 * 24 * 60 * 60 * 1000);
    expect((await publishesOf('com')).observed.registrations).toBe(0);
  });
});
