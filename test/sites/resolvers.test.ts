import { expect, it } from 'vitest';
import { startSiteGateway } from '../support/gateways/site-gateway.ts';

it.each(['page { problem { code } }', 'robots { problem { code } }', 'tls { problem { code } }'])(
  'resolves the host of a site with the configured resolvers: %s',
  async (selection) => {
    await using gateway = await startSiteGateway({});
    const query = `{ site(host: "shop.example") { ${selection} } }`;
    const { data } = await (await gateway.customer.graphql(query)).json();
    expect(Object.values(data.site)).toEqual([{ problem: { code: 'site_unreachable' } }]);
    const types = gateway.dns.queries.map(({ name, type }) => `${name} ${type}`);
    expect(new Set(types)).toEqual(new Set(['shop.example A', 'shop.example AAAA']));
  },
);

it.each([
  ['in the internal network of the operator', 'db.corp.internal'],
  ['in the Tor network, which are not in the DNS', 'service.onion'],
])('reads no DNS records of names %s', async (_where, host) => {
  await using gateway = await startSiteGateway({});
  const selection = '{ dns { problem { code } } forSale { problem { code } } }';
  const response = await gateway.customer.graphql(`{ site(host: "${host}") ${selection} }`);
  const blocked = { problem: { code: 'site_blocked' } };
  expect((await response.json()).data.site).toEqual({ dns: blocked, forSale: blocked });
  expect(gateway.dns.queries).toEqual([]);
});
