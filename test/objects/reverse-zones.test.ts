import { expect, it } from 'vitest';
import { prices } from '../../src/execution/charging/prices.ts';
import { startFakeRegistry } from '../support/servers/fake-registry.ts';
import { forThisFile } from '../support/for-this-file.ts';
import type { Json } from '../support/gateways/gateway.ts';
import { connectMcp } from '../support/requests/mcp-client.ts';
import { costIn, startMeteredGateway } from '../support/gateways/metered-gateway.ts';
import { json, status } from '../support/bodies/replies.ts';
import { network } from '../support/bodies/registry-objects.ts';

const registry = await forThisFile(startFakeRegistry);
const { baseUrl } = registry;
const gateway = await forThisFile(startMeteredGateway, {
  objects: { ipv4: { '8.0.0.0/8': baseUrl }, ipv6: { '2600::/16': baseUrl } },
});
const customer = await gateway.newCustomer();
const mcp = await forThisFile(connectMcp, gateway.gateway.url, '2026-07-28', {
  'x-api-key': customer.key,
});

const zone = (ldhName: string) =>
  json(200, {
    objectClassName: 'domain',
    handle: 'ZONE-1',
    ldhName,
    nameservers: [{ objectClassName: 'nameserver', ldhName: 'NS1.Example.' }],
    secureDNS: {
      delegationSigned: true,
      dsData: [{ keyTag: 1, algorithm: 13, digestType: 2, digest: 'ab' }],
    },
    network: {
      objectClassName: 'ip network',
      handle: 'NET-1',
      startAddress: '8.8.8.0',
      endAddress: '8.8.8.255',
    },
    entities: [{ objectClassName: 'entity', handle: 'HOLDER', roles: ['registrant'] }],
  });
registry.on('8.8.8.in-addr.arpa', zone('8.8.8.IN-ADDR.ARPA.'));
registry.on('0/25.8.8.8.in-addr.arpa', zone('0/25.8.8.8.in-addr.arpa'));
registry.on('0-127.8.8.8.in-addr.arpa', zone('0-127.8.8.8.in-addr.arpa'));
registry.on('0.0.6.2.ip6.arpa', zone('0.0.6.2.ip6.arpa'));
registry.on('9.8.8.in-addr.arpa', status(500));
registry.on('7.8.8.in-addr.arpa', zone('8.8.8.in-addr.arpa'));
registry.on('ip/8.8.8.8', network('8.8.8.0', '8.8.8.255'));

const graphql = async (document: string): Promise<Json> =>
  (await customer.graphql(document)).json();
const query = async (field: string): Promise<Json> =>
  (await graphql(`{ object: ${field} }`)).data.object;

it('returns the name servers, contacts and network of a zone', async () => {
  const fields = `found name handle nameservers hosts { name } dnssec { signed } network { handle cidr }
    entities { handle roles } problem { code }`;
  expect(await query(`reverseZone(name: "8.8.8.IN-ADDR.arpa.") { ${fields} }`)).toEqual({
    found: true,
    name: '8.8.8.in-addr.arpa',
    handle: 'ZONE-1',
    nameservers: ['ns1.example'],
    hosts: [{ name: 'ns1.example' }],
    dnssec: { signed: true },
    network: { handle: 'NET-1', cidr: ['8.8.8.0/24'] },
    entities: [{ handle: 'HOLDER', roles: ['registrant'] }],
    problem: null,
  });
  expect(await query('ip(address: "8.8.8.8") { reverseZone { name } }')).toEqual({
    reverseZone: { name: '8.8.8.in-addr.arpa' },
  });
});

it.each([
  ['0/25.8.8.8.in-addr.arpa', '0/25.8.8.8.in-addr.arpa'],
  ['0%2F25.8.8.8.in-addr.arpa', '0/25.8.8.8.in-addr.arpa'],
  ['0-127.8.8.8.in-addr.arpa', '0-127.8.8.8.in-addr.arpa'],
  ['0.0.6.2.ip6.arpa', '0.0.6.2.ip6.arpa'],
  ['8.8.8.8', '8.8.8.in-addr.arpa'],
  ['2600::/16', '0.0.6.2.ip6.arpa'],
])('reads the spelling %s', async (spelling, name) => {
  expect(await query(`reverseZone(name: "${spelling}") { name }`)).toEqual({ name });
});

it.each([
  '8.8.8.256.in-addr.arpa',
  '08.8.8.in-addr.arpa',
  '1.0/25.8.8.8.in-addr.arpa',
  'x.in-addr.arpa',
  'g.0.6.2.ip6.arpa',
  '00.6.2.ip6.arpa',
  '.in-addr.arpa',
  'in-addr.arpa',
  'example.com',
  '../8.8.8.in-addr.arpa',
])('rejects %s', async (name) => {
  const { errors } = await graphql(`{ reverseZone(name: "${name}") { name } }`);
  expect(errors[0].extensions).toMatchObject({ code: 'invalid_parameter', param: 'name' });
});

it('returns null only for a zone that does not exist', async () => {
  expect(await query('reverseZone(name: "6.8.8.in-addr.arpa") { name }')).toBeNull();
  const failed = 'found problem { code }';
  expect(await query(`reverseZone(name: "9.8.8.in-addr.arpa") { ${failed} }`)).toEqual({
    found: null,
    problem: { code: 'registry_error' },
  });
  expect(await query(`reverseZone(name: "7.8.8.in-addr.arpa") { ${failed} }`)).toEqual({
    found: null,
    problem: { code: 'untrusted_answer' },
  });
  expect(await query(`reverseZone(name: "10.in-addr.arpa") { ${failed} }`)).toEqual({
    found: null,
    problem: { code: 'special_use' },
  });
});

it.each([
  ['8.8.8.in-addr.arpa', 200],
  ['0%2F25.8.8.8.in-addr.arpa', 200],
  ['0/25.8.8.8.in-addr.arpa', 200],
  ['5.8.8.in-addr.arpa', 404],
])('is in REST and RDAP: %s', async (name, expected) => {
  const rdap = await customer.fetch(`/rdap/domain/${name}`);
  expect(rdap.status).toBe(expected);
  expect(rdap.headers.get('content-type')).toMatch('application/rdap+json');
  const sent: Json = await rdap.json();
  const { structuredContent: found } = await mcp.call('lookup_object', { object: name });
  expect(found).toMatchObject({ type: 'reverse_zone', found: expected === 200 });
  for (const path of [`query=${name}`, `domain=${name}`, `query=${name}&type=reverse_zone`]) {
    const rest = await customer.fetch(`/v1/rdap?${path}`);
    expect([path, rest.status]).toEqual([path, expected]);
    const body: Json = await rest.json();
    if (expected === 404) expect([body.code, sent.errorCode]).toEqual(['not_found', 404]);
    else
      expect([body.type, body.object.nameservers, body.rdap.handle, sent.handle]).toEqual([
        'reverse_zone',
        ['ns1.example'],
        'ZONE-1',
        'ZONE-1',
      ]);
  }
});

it('costs as much as an object, and nothing in the sandbox', async () => {
  const fresh = await gateway.newCustomer();
  const price = async (path: string) => costIn(await fresh.fetch(path)).charged;
  expect(await price('/v1/rdap?query=8.8.8.in-addr.arpa&max_age=0')).toBe(prices.object(1));
  expect(await price('/v1/rdap?query=2.0.192.in-addr.arpa')).toBe(0);
  const sandbox: Json = await (await fresh.fetch('/v1/rdap?query=2.0.192.in-addr.arpa')).json();
  expect(sandbox.object).toMatchObject({
    name: '2.0.192.in-addr.arpa',
    network: { cidr: ['192.0.2.0/24'] },
    entities: expect.arrayContaining([expect.objectContaining({ roles: ['registrant'] })]),
  });
  expect((await fresh.fetch('/v1/rdap?query=3.0.192.in-addr.arpa')).status).not.toBe(200);
});
