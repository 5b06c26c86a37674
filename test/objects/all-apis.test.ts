// cspell:ignore nicbr
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { domainObject } from '../support/bodies/domain-object.ts';
import { startFakeRegistry } from '../support/servers/fake-registry.ts';
import { forThisFile } from '../support/for-this-file.ts';
import { startGateway, type Json } from '../support/gateways/gateway.ts';
import { connectMcp } from '../support/requests/mcp-client.ts';
import { registryBodies } from '../support/bodies/registry-bodies.ts';
import { rdapJson, status } from '../support/bodies/replies.ts';

/** Captured responses stay outside this repository; no assertion prints their content. */
const data = join(import.meta.dirname, '../../../shared/data');
const manifest = join(data, 'corpus.manifest.json');
const present = existsSync(manifest);
const captured = (present ? (JSON.parse(readFileSync(manifest, 'utf8')) as Json[]) : [])
  .filter(({ status: code, role }) => code === 200 && (role === 'registry' || role === 'rir'))
  .map(({ file, domain, tld, role }) => ({ file, domain, tld, isZone: role === 'rir' }));

/** How registries of country codes differ from RFC 9083, or from each other. */
const forms: Readonly<Record<string, Json>> = {
  ar: { entities: [{ handle: '20', roles: ['registrant'], publicIds: [] }] },
  at: { status: [], events: [{ eventAction: 'last changed', eventDate: '2020-01-01 00:00:00' }] },
  be: { status: 'registered', secureDNS: { delegationSigned: 'false' } },
  br: { handle: 20_240_101, nicbr_autnum: 64_500, legalRepresentative: 'Ada Example' },
  ca: { entities: [{ roles: 'registrar', handle: 'X', vcardArray: [] }] },
  ch: { nameservers: ['ns1.example.', 'ns2.example.'] },
  cl: { entities: { 0: { roles: ['registrant'], handle: 'R' } } },
  de: { status: ['active'], secureDNS: { keyData: [{ flags: 257, protocol: 3, algorithm: 8 }] } },
  dk: { unicodeName: null, handle: null },
  es: { status: ['Client Transfer Prohibited'] },
  fi: { nameservers: [{ ldhName: 'ns1.example [OK]' }] },
  ie: { lang: 'ga', port43: '' },
  in: { remarks: { description: 'one' }, notices: { title: 'x', description: ['y'] } },
  is: { events: [] },
  it: { objectClassName: 'Domain' },
  kr: { entities: null, nameservers: null, status: null },
  lu: { secureDns: { delegationSigned: true } },
  mx: { rdapConformance: 'rdap_level_0' },
  no: {
    nameservers: [{ objectClassName: 'nameserver', handle: 'NS1-NORID', ldhName: 'A.EXAMPLE' }],
  },
  si: {
    entities: [
      { objectClassName: 'entity', roles: ['Registrar'], entities: [{ roles: ['abuse'] }] },
    ],
  },
};

const registry = await forThisFile(startFakeRegistry);
const { baseUrl } = registry;
const gateway = await forThisFile(startGateway, {
  registries: Object.fromEntries(
    [...captured.map(({ tld }) => tld), ...Object.keys(forms), 'example']
      .filter((tld) => tld !== 'arpa')
      .map((tld) => [tld, baseUrl]),
  ),
  objects: {
    ipv4: Object.fromEntries(['8', '149', '193'].map((each) => [`${each}.0.0.0/8`, baseUrl])),
  },
});
const mcp = await forThisFile(connectMcp, gateway.url);

/** Answers with a body as it was sent. */
const answer = (name: string, body: string) =>
  registry.on(name, status(200, { 'content-type': rdapJson }, body));

/** Returns an object without what the relay adds to it. */
function asSent({ notices = [], rdapConformance: _conformance, ...members }: Json): Json {
  return { ...members, notices: [notices].flat().filter(({ title }: Json) => title !== 'Source') };
}

/** Looks an object up in all APIs, which must agree. */
async function expectSame(domain: string, body: string, isZone = false): Promise<void> {
  answer(domain, body);
  const relayed = await gateway.get(`/rdap/domain/${domain}?max_age=0`);
  expect(isDeepStrictEqual(asSent(relayed), asSent(JSON.parse(body)))).toBe(true);
  const rest = await gateway.get(`/v1/rdap?query=${domain}&max_age=0`);
  const { handle, statuses, hosts } = isZone ? rest.object : rest.registration;
  const fields = 'handle statuses hosts { name ipv4 ipv6 }';
  const { data: graph } = await gateway.graphql(
    isZone
      ? `{ object: reverseZone(name: "${domain}", maxAge: 0) { ${fields} } }`
      : `{ domain(name: "${domain}", maxAge: 0) { registration { ${fields} } } }`,
  );
  const found = isZone ? graph.object : graph.domain.registration;
  expect(isDeepStrictEqual(found, { handle, statuses, hosts })).toBe(true);
  const { structuredContent } = isZone
    ? await mcp.call('lookup_object', { object: domain })
    : await mcp.call('lookup_domain', { name: domain, max_age: 0 });
  const tool = isZone ? structuredContent?.object : structuredContent?.registration;
  expect(tool?.handle === handle).toBe(true);
  expect(tool?.statuses?.length).toBe(statuses.length);
}

describe.skipIf(!present)(
  `captured objects${present ? '' : ` (skipped: ${data} does not exist)`}`,
  () => {
    it.each(captured)('are the same in all APIs: $file', ({ file, domain, isZone }) =>
      expectSame(domain, readFileSync(join(data, 'corpus', file), 'utf8'), isZone),
    );
  },
);

it.each(registryBodies)('a body with $oddity is the same in all APIs', ({ domain, body }) =>
  expectSame(domain, JSON.stringify(body)),
);

it.each(Object.entries(forms))(
  'a body in the form of .%s is the same in all APIs',
  (tld, members) =>
    expectSame(`taken.${tld}`, JSON.stringify(domainObject(`taken.${tld}`, { members }))),
);

type Line = readonly unknown[];
const entity = (handle: string, roles: readonly string[], ...lines: readonly Line[]) => ({
  objectClassName: 'entity',
  handle,
  roles,
  vcardArray: ['vcard', [['version', {}, 'text', '4.0'], ...lines]],
});
const named = (name: string, kind: string) => [
  ['fn', {}, 'text', name],
  ['kind', {}, 'text', kind],
];
const up = (href: string) => [{ rel: 'rdap-up', href: `${baseUrl}${href}`, type: rdapJson }];

/** Bodies as the regional registries write them; names and persons are invented. */
const networks: readonly { rir: string; ip: string; body: Json; object: Json }[] = [
  {
    rir: 'ARIN, with zeros, an event without a time zone, and origins',
    ip: '8.1.0.1',
    body: {
      rdapConformance: ['nro_rdap_profile_0', 'rdap_level_0', 'cidr0', 'arin_originas0'],
      handle: 'NET-8-1-0-0-1',
      startAddress: '008.001.000.000',
      endAddress: '008.001.255.255',
      cidr0_cidrs: [{ v4prefix: '8.1.0.0', length: 16 }],
      arin_originas0_originautnums: [64_500],
      parentHandle: 'NET-8-0-0-0-1',
      entities: [entity('EXAMPLE-1', ['registrant'], ...named('Example Inc.', 'org'))],
    },
    object: {
      cidr: ['8.1.0.0/16'],
      country: null,
      originAutnums: [64_500],
      holder: { handle: 'EXAMPLE-1' },
      parent: null,
    },
  },
  {
    rir: 'RIPE NCC, with maintainers, a range as its handle, and a search',
    ip: '8.2.0.1',
    body: {
      rdapConformance: ['rdap_level_0', 'cidr0', 'rirSearch1', 'ips'],
      handle: '8.2.0.0 - 8.2.2.255',
      startAddress: '8.2.0.0',
      endAddress: '8.2.2.255',
      country: 'UK',
      links: up('ips/rirSearch1/rdap-up/8.2.0.0%20-%208.2.2.255'),
      entities: [
        entity('EXAMPLE-MNT', ['registrant'], ...named('EXAMPLE-MNT', 'individual')),
        entity('ORG-EX2-RIPE', ['registrant'], ...named('Example BV', 'org')),
      ],
    },
    object: {
      cidr: ['8.2.0.0/23', '8.2.2.0/24'],
      country: 'GB',
      holder: { handle: 'ORG-EX2-RIPE' },
      parent: { handle: 'NET-AROUND' },
    },
  },
  {
    rir: 'APNIC, for a union, with an incident team',
    ip: '8.3.0.1',
    body: {
      rdapConformance: ['history_version_0', 'cidr0', 'rdap_level_0'],
      handle: '8.3.0.0 - 8.3.255.255',
      startAddress: '8.3.0.0',
      endAddress: '8.3.255.255',
      country: 'AP',
      entities: [entity('IRT-EXAMPLE-AP', ['abuse'], ...named('IRT-EXAMPLE-AP', 'group'))],
      links: up('ip/8.0.0.0/9'),
    },
    object: { cidr: ['8.3.0.0/16'], country: null, holder: null, parent: { handle: 'NET-AROUND' } },
  },
  {
    rir: 'LACNIC, with a number as a handle and reverse delegations',
    ip: '8.4.0.1',
    body: {
      rdapConformance: ['rdap_level_0', 'lacnic_level_0', 'nicbr_level_0'],
      handle: 8_400_016,
      startAddress: '8.4.0.0',
      endAddress: '8.4.255.255',
      status: 'active',
      nicbr_autnum: 64_500,
      lacnic_reverseDelegations: [{ startAddress: '8.4.0.0', endAddress: '8.4.255.255' }],
      entities: [{ handle: 'BR-EX-LACNIC', roles: ['registrant'], vcardArray: ['vcard', []] }],
    },
    object: { handle: '8400016', statuses: ['active'], holder: { handle: 'BR-EX-LACNIC' } },
  },
  {
    rir: 'AFRINIC, without entities, and with a class in other letters',
    ip: '8.5.0.1',
    body: {
      objectClassName: 'IP network',
      handle: '8.5.0.0 - 8.5.255.255',
      startAddress: '8.5.0.0',
      endAddress: '8.5.255.255',
      country: 'ZAF',
      entities: null,
    },
    object: { country: 'ZA', holder: null, entities: [] },
  },
];

it.each(networks)('relays and reads a network of $rir', async ({ ip, body, object }) => {
  const around = JSON.stringify({
    objectClassName: 'ip network',
    handle: 'NET-AROUND',
    startAddress: '8.0.0.0',
    endAddress: '8.127.255.255',
  });
  answer('ip/8.0.0.0/9', around);
  const search = status(200, { 'content-type': rdapJson }, around);
  registry.on((_name, { url }) => url.includes('rirSearch1'), search);
  const sent = { objectClassName: 'ip network', ...body };
  answer(`ip/${ip}`, JSON.stringify(sent));
  const { data: graph } = await gateway.graphql(`{ ip(address: "${ip}") {
    found handle statuses cidr country originAutnums holder { handle } parent { handle }
    entities { handle } evidence { findings { code } } raw
  } }`);
  expect(graph.ip).toMatchObject({ found: true, raw: sent, ...object });
  const rest = await gateway.get(`/v1/rdap?query=${ip}`);
  expect(rest.rdap).toEqual(sent);
  expect([rest.object.cidr, rest.object.country]).toEqual([graph.ip.cidr, graph.ip.country]);
  expect(asSent(await gateway.get(`/rdap/ip/${ip}`))).toEqual(asSent(sent));
  const { structuredContent } = await mcp.call('lookup_object', { object: ip });
  expect(structuredContent).toMatchObject({ found: true, object: { handle: graph.ip.handle } });
});
