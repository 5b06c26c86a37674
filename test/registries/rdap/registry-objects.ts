import type { Json, JsonObject } from '../../../src/domain/registration.ts';

// Objects in the style of each regional registry, for documentation addresses (RFC 5737, RFC 3849)
// and numbers (RFC 5398). Each has the oddities of real responses of that registry.

const text = (name: string, value: Json, params: JsonObject = {}): Json =>
  [name, params, 'text', value] satisfies Json[];
const vcard = (...properties: Json[]): Json => ['vcard', [text('version', '4.0'), ...properties]];
const entity = (handle: string, roles: Json, card: Json[] = [], more: JsonObject = {}) => ({
  objectClassName: 'entity',
  handle,
  roles,
  ...(card.length > 0 && { vcardArray: vcard(...card) }),
  ...more,
});
const noAddress: Json = ['', '', '', '', '', '', ''];

const abuseDesk = entity(
  'ABUSE1-EX',
  ['abuse', 'technical', 'noc'],
  [
    text('fn', 'Abuse Desk'),
    text('kind', 'group'),
    text('email', 'abuse@example.test'),
    text('tel', '+ 1 555 010 0100', { type: ['work', 'voice'] }),
  ],
);

/** ARIN: addresses padded with zeros, offsets in dates, an address only in a label. */
export const arinNetwork: JsonObject = {
  rdapConformance: ['nro_rdap_profile_0', 'rdap_level_0', 'cidr0', 'arin_originas0'],
  objectClassName: 'ip network',
  handle: 'NET-192-0-2-0-1',
  startAddress: '192.000.002.000',
  endAddress: '192.000.002.255',
  ipVersion: 'v4',
  name: 'EXAMPLE-NET',
  type: 'DIRECT ALLOCATION',
  parentHandle: 'NET-192-0-0-0-0',
  status: ['active'],
  cidr0_cidrs: [{ v4prefix: '192.0.2.0', length: 24 }],
  arin_originas0_originautnums: [64496, 'AS64497', 64496],
  events: [
    { eventAction: 'last changed', eventDate: '2012-02-24T09:44:34-05:00' },
    { eventAction: 'registration', eventDate: '2000-03-30T00:00:00-05:00' },
  ],
  links: [
    { rel: 'self', href: 'https://rdap.test/ip/192.0.2.0', type: 'application/rdap+json' },
    { rel: 'up', href: 'javascript:alert(1)' },
  ],
  entities: [
    entity(
      'EXAMPLE-ORG',
      ['registrant'],
      [
        text('fn', 'Example Org'),
        text('kind', 'org'),
        text('adr', noAddress, { label: '1 Example Way\nExample City\nEX\n12345\nUnited States' }),
      ],
      { entities: [abuseDesk] },
    ),
  ],
};

const exampleRole = text('fn', 'Example Role');

/** RIPE NCC: maintainers among the registrants, one entity per role, a redaction, no country. */
export const ripeNetwork: JsonObject = {
  objectClassName: 'ip network',
  handle: '2001:db8::/32',
  startAddress: '2001:db8::',
  endAddress: '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff',
  ipVersion: 'v6',
  name: 'EXAMPLE-V6',
  type: 'ALLOCATED-BY-RIR',
  country: null,
  status: ['active'],
  remarks: [
    { description: ['Example network', '', 'Second line'] },
    { type: 'Object Truncated Due To Server Policy' },
    {},
  ],
  entities: [
    entity('EXAMPLE-MNT', ['registrant']),
    entity('EX1-RIPE', ['administrative'], [exampleRole]),
    entity('EX1-RIPE', ['technical'], [exampleRole]),
    entity('EX1-RIPE', ['abuse'], [exampleRole, text('email', 'abuse@example.test')]),
  ],
  redacted: [
    {
      name: { description: 'Personal e-mail information' },
      reason: { description: 'Personal data' },
      prePath: "$.entities[?(@.handle=='EX1-RIPE')]",
      method: 'removal',
    },
  ],
};

/** AFRINIC: a range that is not one network, without `cidr0`. */
export const afrinicNetwork: JsonObject = {
  objectClassName: 'ip network',
  handle: '198.51.100.64 - 198.51.100.191',
  startAddress: '198.51.100.64',
  endAddress: '198.51.100.192',
  ipVersion: 'v4',
  name: 'EXAMPLE-AFRICA',
  type: 'ASSIGNED PI',
  country: 'za',
  parentHandle: '198.51.100.0 - 198.51.100.255',
  status: ['ACTIVE'],
};

/** LACNIC and NIC.br: extensions, numbers without `AS`, addresses in full length, nested persons. */
export const lacnicAutnum: JsonObject = {
  rdapConformance: ['rdap_level_0', 'lacnic_level_0', 'nicbr_level_0'],
  objectClassName: 'autnum',
  handle: 64496,
  startAutnum: '64496',
  endAutnum: '64496',
  name: 'ASN64496',
  type: 'DIRECT ALLOCATION',
  country: 'BR',
  nicbr_autnum: 64496,
  lacnic_legalRepresentative: 'REDACTED',
  remarks: [],
  entities: [
    entity('00000000000100', ['registrant'], [text('fn', 'Example Limited'), text('kind', 'org')], {
      legalRepresentative: 'Example Person',
      entities: [
        entity(
          'EXP1',
          ['administrative'],
          [text('fn', 'Example Person'), ['lang', {}, 'language-tag', 'pt']],
        ),
      ],
    }),
  ],
};
export const lacnicNetwork: JsonObject = {
  objectClassName: 'ip network',
  handle: '2001:db8:c000::',
  startAddress: '2001:db8:c000:0:0:0:0:0',
  endAddress: '2001:DB8:C000:FFFF:FFFF:FFFF:FFFF:FFFF',
  type: 'assigned',
  nicbr_reverseDelegations: [{ startAddress: '2001:db8:c000::', nameservers: [] }],
};

/** APNIC: an incident response team with its address in a label, and blocks of numbers. */
export const apnicAutnum: JsonObject = {
  objectClassName: 'autnum',
  handle: 'AS64500 - AS64505',
  startAutnum: 64500,
  endAutnum: 64505,
  name: 'EXAMPLE-AP',
  country: 'AU',
  status: ['active'],
  port43: 'whois.registry.test',
  entities: [
    entity(
      'IRT-EXAMPLE-AP',
      ['abuse'],
      [
        text('fn', 'IRT-EXAMPLE-AP'),
        text('kind', 'group'),
        text('adr', noAddress, { label: 'PO Box 1\nBrisbane QLD 4101' }),
        text('email', 'irt@example.test'),
        text('email', 'irt@example.test', { pref: '1' }),
      ],
    ),
  ],
};

/** An entity with the members that only entities have, in the style of ARIN. */
export const arinEntity: JsonObject = {
  objectClassName: 'entity',
  handle: 'EXAMPLE-ORG',
  roles: ['registrant', 'Registrant'],
  vcardArray: vcard(
    text('fn', 'Example Org'),
    text('kind', 'org'),
    text('email', 'REDACTED FOR PRIVACY'),
  ),
  publicIds: [{ type: 'IANA Registrar ID', identifier: 9999 }, { type: 'incomplete' }],
  status: ['clientUpdateProhibited'],
  networks: [arinNetwork],
  autnums: [apnicAutnum],
  asEventActor: [{ eventAction: 'last changed', eventDate: '2011-12-31T23:59:59Z' }],
  entities: [{ handle: 'ABUSE1-EX', roles: ['abuse'] }],
};

export const nameserverObject: JsonObject = {
  objectClassName: 'nameserver',
  handle: 'HOST-1',
  ldhName: 'NS1.XN--FO-5JA.EXAMPLE.',
  unicodeName: 'ns1.fóo.example',
  status: ['serverUpdateProhibited'],
  ipAddresses: { v4: ['192.0.2.1', '192.0.2.1', '192.0.2.999'], v6: ['2001:db8::1', 'x'] },
  entities: [
    {
      handle: '9999',
      roles: ['registrar'],
      publicIds: { type: 'IANA Registrar ID', identifier: '9999' },
    },
  ],
};
