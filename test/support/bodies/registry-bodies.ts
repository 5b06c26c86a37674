// cspell:ignore altid
import type { Registration } from '../../../src/domain/registration.ts';

/**
 * A 200 of an RDAP server. The names and persons are invented; what is odd about the form, real
 * servers send too.
 */
export interface RegistryBody {
  readonly oddity: string;
  readonly domain: string;
  readonly isFromRegistrar?: true;
  readonly body: Readonly<Record<string, unknown>>;
  /** What the record must contain. */
  readonly record: Partial<Registration>;
}

type Line = readonly unknown[];
const card = (...lines: readonly Line[]) => ['vcard', [['version', {}, 'text', '4.0'], ...lines]];
const events = (dates: Readonly<Record<string, unknown>>) =>
  Object.entries(dates).map(([eventAction, eventDate]) => ({ eventAction, eventDate }));
const abuse = {
  objectClassName: 'entity',
  roles: ['abuse'],
  vcardArray: card(
    ['fn', {}, 'text', ''],
    ['tel', { type: 'voice' }, 'uri', 'tel:+1.5555550100'],
    ['email', {}, 'text', 'abuse@registrar.example'],
  ),
};
const registrar = {
  objectClassName: 'entity',
  handle: '9998',
  roles: ['registrar'],
  publicIds: [{ type: 'IANA Registrar ID', identifier: '9998' }],
  vcardArray: card(['fn', {}, 'text', 'Invented Registrar, Inc.']),
  entities: [abuse],
};

export const registryBodies: readonly RegistryBody[] = [
  {
    oddity: 'names in upper case, a registrar with a nested abuse contact, and no persons',
    domain: 'thin.example',
    body: {
      objectClassName: 'domain',
      handle: '1_DOMAIN_EXAMPLE',
      ldhName: 'THIN.EXAMPLE',
      links: [{ rel: 'related', href: 'https://rdap.registrar.example/domain/THIN.EXAMPLE' }],
      status: ['client delete prohibited', 'client transfer prohibited'],
      entities: [registrar],
      events: events({
        registration: '1997-09-15T04:00:00Z',
        expiration: '2096-09-14T04:00:00Z',
        'last changed': '2019-09-09T15:39:04Z',
        'last update of RDAP database': '2026-11-20T10:00:00Z',
      }),
      secureDNS: { delegationSigned: false },
      nameservers: [{ objectClassName: 'nameserver', ldhName: 'NS1.HOST.EXAMPLE' }],
      rdapConformance: ['rdap_level_0', 'icann_rdap_technical_implementation_guide_0'],
      notices: [{ title: 'Terms of Use', description: ['Invented.'], links: [] }],
    },
    record: {
      ldhName: 'thin.example',
      statuses: ['client delete prohibited', 'client transfer prohibited'],
      hosts: [{ name: 'ns1.host.example', ipv4: [], ipv6: [] }],
      registrar: {
        handle: '9998',
        name: 'Invented Registrar, Inc.',
        ianaId: '9998',
        abuseEmail: 'abuse@registrar.example',
        abusePhone: '+1.5555550100',
      },
      createdAt: '1997-09-15T04:00:00.000Z',
      expiresAt: '2096-09-14T04:00:00.000Z',
      updatedAt: '2019-09-09T15:39:04.000Z',
      dnssec: { signed: false, dsRecords: [] },
    },
  },
  {
    oddity: 'names with a final dot, offsets of time zones, nulls, and no expiry',
    domain: 'dotted.example',
    body: {
      objectClassName: 'domain',
      ldhName: 'dotted.example.',
      status: ['active'],
      events: events({
        registration: '2003-04-05T00:00:00+02:00',
        'last changed': '2020-10-25T01:30:00.5-03:30',
        expiration: null,
      }),
      nameservers: [
        {
          objectClassName: 'nameserver',
          ldhName: 'ns.dotted.example.',
          unicodeName: null,
          ipAddresses: { v4: ['192.0.2.1'], v6: null },
        },
        { objectClassName: 'nameserver' },
      ],
      secureDNS: {
        delegationSigned: true,
        zoneSigned: null,
        maxSigLife: null,
        dsData: [{ keyTag: 12_345, algorithm: 13, digestType: 2, digest: 'ab cd' }],
        keyData: null,
      },
      entities: [{ ...registrar, remarks: null, entities: [{ ...abuse, vcardArray: null }] }],
      remarks: null,
    },
    record: {
      ldhName: 'dotted.example',
      hosts: [{ name: 'ns.dotted.example', ipv4: ['192.0.2.1'], ipv6: [] }],
      createdAt: '2003-04-04T22:00:00.000Z',
      updatedAt: '2020-10-25T05:00:00.500Z',
    },
  },
  {
    oddity: 'a registrant with parameters and addresses in the ways that servers write them',
    domain: 'thick.example',
    body: {
      objectClassName: 'domain',
      ldhName: 'thick.example',
      unicodeName: 'thick.example',
      status: ['ok'],
      events: events({
        registration: '2011-01-01T00:00:00.0Z',
        expiration: '2091-01-01T00:00:00.123456Z',
      }),
      entities: [
        {
          objectClassName: 'entity',
          handle: 'P1',
          roles: ['registrant', 'administrative'],
          status: ['active'],
          vcardArray: card(
            ['kind', {}, 'text', 'individual'],
            ['fn', { altid: '1' }, 'text', 'Ada Example'],
            ['n', {}, 'text', ['Example', 'Ada', '', '', '']],
            ['org', { type: 'work' }, 'text', 'Example Works'],
            [
              'adr',
              { cc: 'FR', type: 'work' },
              'text',
              ['', '', ['1 rue Inventée', 'Bât. B'], 'Paris', '', '75001', ''],
            ],
            ['tel', { type: ['voice'], pref: '1' }, 'uri', 'tel:+33.155500100;ext=12'],
            ['tel', { type: 'fax' }, 'text', '+33.155500101'],
            ['email', { pref: '1' }, 'text', 'ada@works.example'],
            ['contact-uri', {}, 'uri', 'https://works.example/contact'],
            ['ISO-3166-1-alpha-2', {}, 'text', 'FR'],
          ),
        },
        {
          objectClassName: 'entity',
          roles: ['technical'],
          vcardArray: card(
            ['fn', {}, 'text'],
            ['email', {}, 'text', null],
            ['tel', { Type: 'voice' }, 'uri', 'tel:+1.5555550102'],
            [
              'adr',
              { label: '1 Invented Road\nSpringfield' },
              'text',
              ['', '', '', '', '', '', ''],
            ],
          ),
        },
        { objectClassName: 'entity', roles: null },
      ],
    },
    record: {
      registrant: {
        roles: ['registrant', 'administrative'],
        handle: 'P1',
        kind: 'individual',
        name: 'Ada Example',
        organization: 'Example Works',
        email: 'ada@works.example',
        phone: '+33.155500100 ext. 12',
        fax: '+33.155500101',
        address: {
          street: ['1 rue Inventée', 'Bât. B'],
          city: 'Paris',
          postalCode: '75001',
          countryCode: 'FR',
        },
      },
      createdAt: '2011-01-01T00:00:00.000Z',
      expiresAt: '2091-01-01T00:00:00.123Z',
    },
  },
  {
    oddity: 'redactions with and without paths, reasons and types',
    domain: 'redacted.example',
    body: {
      objectClassName: 'domain',
      ldhName: 'Redacted.Example',
      status: ['active', 'PendingDelete', 'redemptionPeriod'],
      entities: [registrar],
      redacted: [
        {
          name: { type: 'Registrant Name' },
          prePath: '$.entities[0]',
          pathLang: 'jsonpath',
          method: 'removal',
          reason: { type: 'Server policy' },
        },
        {
          name: { description: 'Tech Email' },
          postPath: '$',
          replacementPath: '$',
          method: 'replacementValue',
          reason: { description: 'Privacy' },
        },
        { name: { description: 'Admin Contact' } },
        { name: 'Registrant Phone', method: 'emptyValue' },
      ],
    },
    record: {
      statuses: ['active', 'pending delete', 'redemption period'],
      redacted: [
        { name: 'Registrant Name', method: 'removal', reason: 'Server policy' },
        { name: 'Tech Email', method: 'replacementValue', reason: 'Privacy' },
        { name: 'Admin Contact', method: 'removal' },
        { name: 'Registrant Phone', method: 'emptyValue' },
      ],
    },
  },
  {
    oddity:
      'a key instead of a digest, nameServers, identifiers of other types, and unknown members',
    domain: 'keyed.example',
    body: {
      objectClassName: 'domain',
      ldhName: 'keyed.example',
      nameServers: [{ ldhName: 'ns.host.example' }],
      fred_keyset: { handle: 'K1' },
      whoisStatus: ['active'],
      secureDNS: {
        delegationSigned: true,
        keyData: [{ flags: 257, protocol: 3, algorithm: 13, publicKey: 'aW52ZW50ZWQ=' }],
      },
      entities: [
        {
          ...registrar,
          publicIds: [
            { type: 'Registry Identifier', identifier: 'X1' },
            { type: 'INVENTED REGISTRAR INC', identifier: '9998' },
          ],
          vcardArray: card(
            ['org', {}, 'text', 'Invented Registrar'],
            ['url', {}, 'uri', 'https://registrar.example/'],
          ),
        },
      ],
    },
    record: {
      ldhName: 'keyed.example',
      hosts: [{ name: 'ns.host.example', ipv4: [], ipv6: [] }],
      dnssec: { signed: true, dsRecords: [] },
    },
  },
  {
    oddity: "the registrar's own expiry, and dates that are empty or have no time zone",
    domain: 'sold.example',
    isFromRegistrar: true,
    body: {
      objectClassName: 'domain',
      ldhName: 'SOLD.EXAMPLE',
      port43: 'whois.registrar.example',
      events: events({
        registration: '2015-06-07T08:09:10.000+0000',
        expiration: '2095-06-07T08:09:10.123456789Z',
        'registrar expiration': '2094-06-07T08:09:10Z',
        'last changed': '2021-01-02T03:04:05',
        transfer: '',
      }),
      entities: [registrar],
      nameservers: null,
      secureDNS: { delegationSigned: false, maxSigLife: 1 },
    },
    record: {
      createdAt: '2015-06-07T08:09:10.000Z',
      expiresAt: '2094-06-07T08:09:10.000Z',
      hosts: [],
    },
  },
];
