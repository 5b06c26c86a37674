import { expect, it } from 'vitest';
import { startFakeRegistry } from '../support/servers/fake-registry.ts';
import { forThisFile } from '../support/for-this-file.ts';
import { startGateway, type Json } from '../support/gateways/gateway.ts';
import { entity, nameserver, network } from '../support/bodies/registry-objects.ts';
import { registered } from '../support/bodies/replies.ts';

const hosts = (count: number, index: number) =>
  Array.from({ length: 2 }, (_, each) => {
    const number = (index + each) % count;
    return {
      objectClassName: 'nameserver',
      ldhName: `ns${number}.hosting.example`,
      ipAddresses: { v4: [`8.8.${number}.53`], v6: [`2600:${number}::53`] },
    };
  });

const registry = await forThisFile(startFakeRegistry);
const { baseUrl } = registry;
registry.on(/^name\d+\.example$/, ({ name }) =>
  registered(name, { members: { nameservers: hosts(10, Number(/\d+/.exec(name)?.[0])) } }),
);
registry.on(/^ip\/8\./, ({ name }) => {
  const [, prefix = ''] = /^ip\/(.*)\.53$/.exec(name) ?? [];
  return network(`${prefix}.0`, `${prefix}.255`);
});
registry.on(/^ip\/2600:/, ({ name }) => {
  const [, number = ''] = /^ip\/2600:(\d*):/.exec(name) ?? [];
  const prefix = number ? `2600:${number}` : '2600';
  return network(`${prefix}::`, `2600:${number || 0}:ffff:ffff:ffff:ffff:ffff:ffff`);
});
registry.on('entity/HOLDER-EX', entity('HOLDER-EX'));
registry.on(/^nameserver\//, ({ name }) =>
  nameserver(name.slice('nameserver/'.length), ['8.8.0.53']),
);
const gateway = await forThisFile(startGateway, {
  registries: { example: baseUrl },
  objects: {
    ipv4: { '8.0.0.0/8': baseUrl },
    ipv6: { '2600::/12': baseUrl },
    tags: { EX: baseUrl },
  },
  env: { RDAP_RATE: '0', RDAP_CONCURRENCY: '100' },
});

it('leads from a name to its nameservers, their addresses and networks, and to their holders', async () => {
  const { data, errors } = await gateway.graphql(`{
    domain(name: "name1.example") {
      rdap {
        registrar { handle }
        entities { handle roles }
        hosts {
          name
          object { found ipv4 }
          addresses { ip network { cidr entities { handle entity { found contact { name } } } } }
        }
      }
    }
  }`);
  expect(errors).toBeUndefined();
  const [host] = data.domain.rdap.hosts;
  expect(host).toEqual({
    name: 'ns1.hosting.example',
    object: { found: true, ipv4: ['8.8.0.53'] },
    addresses: [
      {
        ip: '8.8.1.53',
        network: {
          cidr: ['8.8.1.0/24'],
          entities: [
            { handle: 'HOLDER-EX', entity: { found: true, contact: { name: 'Example Holder' } } },
          ],
        },
      },
      {
        ip: '2600:1::53',
        network: {
          cidr: ['2600:1::/32'],
          entities: [
            { handle: 'HOLDER-EX', entity: { found: true, contact: { name: 'Example Holder' } } },
          ],
        },
      },
    ],
  });
  expect(registry.requestCount('entity/HOLDER-EX')).toBe(1);
});

it('looks up the networks of 300 names once per address, and then none of them again', async () => {
  const domains = Array.from({ length: 300 }, (_, index) => `name${index}.example`);
  const run = async () => {
    const before = registry.requests.length;
    const { data, errors } = await gateway.graphql(
      `query ($domains: [String!]) {
        domains(domains: $domains) { rdap { hosts { addresses { network { found } } } } }
      }`,
      { domains },
    );
    expect(errors).toBeUndefined();
    const networks = data.domains
      .flatMap(({ rdap }: Json) => rdap.hosts)
      .flatMap(({ addresses }: Json) => addresses)
      .map(({ network: { found } }: Json) => found);
    expect([networks.length, new Set(networks)]).toEqual([1200, new Set([true])]);
    return registry.requests.slice(before).map(({ name }) => name);
  };
  const sent = await run();
  // Ten nameservers with two addresses each. The first test has looked up two of them.
  expect(sent.filter((name) => name.startsWith('ip/')).length).toBeLessThanOrEqual(20);
  expect(new Set(sent).size).toBe(sent.length);
  expect(await run()).toEqual([]);
});
