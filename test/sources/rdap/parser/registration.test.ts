import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../../src/domain/registration.ts';
import { parseRegistration } from '../../../../src/sources/rdap/parser/registration.ts';

const vcard = (name: string, ...more: Json[]): Json => [
  'vcard',
  [['fn', {}, 'text', name], ...more],
];
const email = (address: string): Json => ['email', {}, 'text', address];
const entity = (role: Json, more: JsonObject = {}): JsonObject => ({
  objectClassName: 'entity',
  roles: role,
  ...more,
});

const whole: JsonObject = {
  objectClassName: 'domain',
  handle: 'D1-TEST',
  ldhName: 'XN--BCHER-KVA.TEST.',
  unicodeName: 'bücher.test',
  nameservers: [
    { ldhName: 'NS1.Example.TEST.', ipAddresses: { v4: ['192.0.2.1'], v6: ['2001:db8::1'] } },
    { ldhName: 'ns2.example.test' },
  ],
  status: ['clientTransferProhibited', 'client transfer prohibited', 'ok'],
  events: [
    { eventAction: 'registration', eventDate: '2001-02-03T04:05:06Z', eventActor: 'someone' },
    { eventAction: 'last changed', eventDate: '2020-01-01T00:00:00Z' },
    { eventAction: 'last changed', eventDate: '2024-01-01T00:00:00Z' },
    { eventAction: 'last changed', eventDate: '2022-01-01T00:00:00Z' },
    { eventAction: 'registrar expiration', eventDate: '2031-01-01T00:00:00Z' },
    { eventAction: 'expiration', eventDate: '2030-01-01T00:00:00Z' },
    { eventAction: 'last update of RDAP database', eventDate: '2026-01-01T00:00:00Z' },
  ],
  entities: [
    entity(['registrar'], {
      handle: '9999',
      publicIds: [{ type: 'IANA Registrar ID', identifier: '9999' }],
      vcardArray: vcard('Example Registrar'),
      links: [{ rel: 'about', href: 'https://registrar.test/' }],
      entities: [
        entity(['abuse'], {
          vcardArray: vcard('', email('abuse@registrar.test'), ['tel', {}, 'uri', 'tel:+1.1']),
        }),
      ],
    }),
    entity(['registrant', 'Administrative'], { handle: 'C1', vcardArray: vcard('Ada Example') }),
  ],
  secureDNS: {
    delegationSigned: true,
    dsData: [{ keyTag: 1, algorithm: 13, digestType: 2, digest: 'AB01' }],
  },
  redacted: [
    {
      name: { description: 'Registrant Email' },
      method: 'emptyValue',
      reason: { description: 'Server policy' },
    },
  ],
};

it('a whole answer gives a whole registration', () => {
  const contact = { roles: ['registrant', 'administrative'], handle: 'C1', name: 'Ada Example' };
  expect(parseRegistration(whole)).toMatchObject({
    handle: 'D1-TEST',
    ldhName: 'xn--bcher-kva.test',
    unicodeName: 'bücher.test',
    hosts: [
      { name: 'ns1.example.test', ipv4: ['192.0.2.1'], ipv6: ['2001:db8::1'] },
      { name: 'ns2.example.test', ipv4: [], ipv6: [] },
    ],
    statuses: ['client transfer prohibited', 'active'],
    registrar: {
      name: 'Example Registrar',
      ianaId: '9999',
      url: 'https://registrar.test/',
      abuseEmail: 'abuse@registrar.test',
      abusePhone: '+1.1',
    },
    registrant: contact,
    contacts: [contact],
    createdAt: '2001-02-03T04:05:06.000Z',
    updatedAt: '2024-01-01T00:00:00.000Z',
    expiresAt: '2030-01-01T00:00:00.000Z',
    dnssec: {
      signed: true,
      dsRecords: [{ keyTag: 1, algorithm: 13, digestType: 2, digest: 'AB01' }],
    },
    redacted: [{ name: 'Registrant Email', method: 'emptyValue', reason: 'Server policy' }],
  });
  expect(parseRegistration(whole).raw).toBe(whole);
  expect(parseRegistration(whole).events).toHaveLength(7);
});

it('an empty answer gives an empty registration', () => {
  const nothing = {
    hosts: [],
    statuses: [],
    contacts: [],
    events: [],
    dnssec: { dsRecords: [] },
    redacted: [],
    raw: {},
  };
  expect(parseRegistration({})).toStrictEqual(nothing);
});

it('a domain object that the parser failed to read is its own record, and nothing more; whoever wants to know is told', () => {
  const trap: JsonObject = {
    objectClassName: 'domain',
    get status(): never {
      throw new TypeError('unreadable');
    },
  };
  const told: unknown[] = [];
  expect(parseRegistration(trap, (error) => told.push(error))).toEqual({
    ...parseRegistration({}),
    raw: trap,
  });
  expect(told).toEqual([new TypeError('unreadable')]);
});

describe('statuses', () => {
  it.each<[string, Json]>([
    ['a list', ['client hold', 'active']],
    ['one text with commas', 'clientHold, OK'],
    ['an object with numeric keys', { 0: 'client hold', 1: 'ok' }],
    ['an object whose keys they are', { clientHold: true, ok: true }],
    [
      'EPP words with their links',
      ['clientHold https://icann.org/epp#clientHold', 'ok https://icann.org/epp#ok'],
    ],
    ['a list with things that are none', ['client hold', '', null, 7, 'Active', 'client_hold']],
  ])('are read from %s', (_title, status) => {
    expect(parseRegistration({ status }).statuses).toEqual(['client hold', 'active']);
  });

  it('may be one word', () => {
    expect(parseRegistration({ status: 'active' }).statuses).toEqual(['active']);
  });
});

const names = (nameservers: Json) =>
  parseRegistration({ nameservers }).hosts.map(({ name }) => name);

describe('nameservers', () => {
  it.each<[string, Json]>([
    ['plain texts', ['NS1.example.test.', 'ns1.example.test']],
    ['an object with numeric keys', { 0: { ldhName: 'ns1.example.test' } }],
    ['one object without a list', { ldhName: 'ns1.example.test' }],
    [
      'entries among which some are no hosts',
      [null, 3, {}, { ldhName: '' }, { ldhName: 'not delegated' }, 'ns1.example.test'],
    ],
  ])('may be sent as %s', (_title, sent) => {
    expect(names(sent)).toEqual(['ns1.example.test']);
  });

  it('may be spelled nameServers', () => {
    expect(parseRegistration({ nameServers: ['ns1.example.test'] }).hosts).toHaveLength(1);
  });

  it('are given as A-labels when only their Unicode name is sent', () => {
    expect(names([{ unicodeName: 'NS.Bücher.test.' }, { ldhName: 'ns.bücher.example' }])).toEqual([
      'ns.xn--bcher-kva.test',
      'ns.xn--bcher-kva.example',
    ]);
  });

  it('sent twice bring the addresses of both, and nothing that is no address', () => {
    const sent: Json = [
      { ldhName: 'ns.test', ipAddresses: { v4: '192.0.2.1' } },
      {
        ldhName: 'NS.TEST',
        ipAddresses: { v4: ['192.0.2.1', '192.0.2.2', 'x', 5], v6: ['2001:db8::1', '192.0.2.3'] },
      },
    ];
    expect(parseRegistration({ nameservers: sent }).hosts).toEqual([
      { name: 'ns.test', ipv4: ['192.0.2.1', '192.0.2.2', '192.0.2.3'], ipv6: ['2001:db8::1'] },
    ]);
  });
});

describe('DNSSEC', () => {
  const ds: JsonObject = { keyTag: 1, algorithm: 13, digestType: 2, digest: 'ab 01' };
  it.each<[string, Json, boolean | undefined]>([
    ['true', { delegationSigned: true }, true],
    ['"true"', { delegationSigned: 'true' }, true],
    ['1', { delegationSigned: 1 }, true],
    ['false', { delegationSigned: false }, false],
    ['"0"', { delegationSigned: '0' }, false],
    ['nothing but DS records', { dsData: [ds] }, true],
    ['nothing but keys', { keyData: [{ flags: 257 }] }, true],
    ['nothing', {}, undefined],
    [
      'nonsense',
      { delegationSigned: { toString: 1 }, dsData: [{ keyTag: '123', digest: 9 }] },
      undefined,
    ],
    ['nothing at all', null, undefined],
  ])('is known when the registry says %s', (_title, secureDNS, signed) => {
    expect(parseRegistration({ secureDNS }).dnssec.signed).toBe(signed);
  });

  it('records may have numbers as texts and blanks in the digest; half a record is none', () => {
    const dsData: Json = [
      { ...ds, keyTag: '65535' },
      { ...ds, keyTag: 65_536 },
      { ...ds, digest: 'xyz' },
      { ...ds, algorithm: null },
      7,
    ];
    expect(parseRegistration({ secureDNS: { dsData } }).dnssec.dsRecords).toEqual([
      { keyTag: 65_535, algorithm: 13, digestType: 2, digest: 'ab01' },
    ]);
  });
});

it('a hostile member name reaches no prototype', () => {
  const object = JSON.parse(
    '{"__proto__":{"handle":"X"},"entities":[{"__proto__":{"roles":["registrar"]},"handle":"C"}],"status":{"constructor":1}}',
  ) as JsonObject;
  const registration = parseRegistration(object);
  expect(registration).not.toHaveProperty('handle');
  expect(registration).not.toHaveProperty('registrar');
  expect(registration.statuses).toEqual(['constructor']);
  expect(Object.keys(Object.prototype)).toEqual([]);
});

/** JSON that uses the members the parser looks at, with anything in them. */
const oddJson = fc.letrec<{ json: Json; object: JsonObject }>((tie) => {
  const member = fc.constantFrom(
    ...Object.keys(whole),
    'roles',
    'vcardArray',
    'publicIds',
    'links',
    'ipAddresses',
    'dsData',
    'type',
    '0',
    '__proto__',
    'toString',
  );
  const word = fc.constantFrom(
    'vcard',
    'fn',
    'adr',
    'tel',
    'org',
    'registrar',
    'registrant',
    'abuse',
    'registration',
    '2024-01-01',
    'ns.bücher.test',
  );
  return {
    json: fc.oneof(
      { depthSize: 'medium', withCrossShrink: true },
      word,
      fc.string(),
      fc.double(),
      fc.constantFrom(null, true, false),
      fc.array(tie('json')),
      tie('object'),
    ),
    object: fc.dictionary(fc.oneof(member, fc.string()), tie('json')),
  };
});

const reads = (object: JsonObject) => {
  expect(JSON.stringify(parseRegistration(object))).toContain('"hosts":');
};

describe('any JSON object', () => {
  it('gives a registration that can be sent on', () => {
    fc.assert(fc.property(oddJson.object, reads), { numRuns: 500 });
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) =>
        reads(JSON.parse(JSON.stringify(object)) as JsonObject),
      ),
    );
  });
});
