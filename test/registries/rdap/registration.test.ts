import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../src/domain/registration.ts';
import { parseRegistration } from '../../../src/registries/rdap/registration.ts';

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

const complete: JsonObject = {
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

it('a complete domain object is parsed into a complete registration', () => {
  const contact = { roles: ['registrant', 'administrative'], handle: 'C1', name: 'Ada Example' };
  expect(parseRegistration(complete)).toMatchObject({
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
  expect(parseRegistration(complete).raw).toBe(complete);
  expect(parseRegistration(complete).events).toHaveLength(7);
});

it('an empty object is parsed into an empty registration', () => {
  const empty = {
    hosts: [],
    statuses: [],
    contacts: [],
    events: [],
    dnssec: { dsRecords: [] },
    redacted: [],
    raw: {},
  };
  expect(parseRegistration({})).toStrictEqual(empty);
});

it('a domain object on which the parser fails has only raw data, and the error is reported', () => {
  const failing: JsonObject = {
    objectClassName: 'domain',
    get status(): never {
      throw new TypeError('unreadable');
    },
  };
  const errors: unknown[] = [];
  expect(parseRegistration(failing, (error) => errors.push(error))).toEqual({
    ...parseRegistration({}),
    raw: failing,
  });
  expect(errors).toEqual([new TypeError('unreadable')]);
});

describe('statuses', () => {
  it.each<[string, Json]>([
    ['a list', ['client hold', 'active']],
    ['a comma-separated text', 'clientHold, OK'],
    ['an object with numeric keys', { 0: 'client hold', 1: 'ok' }],
    ['the keys of an object', { clientHold: true, ok: true }],
    [
      'EPP statuses with their links',
      ['clientHold https://icann.org/epp#clientHold', 'ok https://icann.org/epp#ok'],
    ],
    ['a list with invalid entries', ['client hold', '', null, 7, 'Active', 'client_hold']],
  ])('are read from %s', (_case, status) => {
    expect(parseRegistration({ status }).statuses).toEqual(['client hold', 'active']);
  });

  it('are read from a single text', () => {
    expect(parseRegistration({ status: 'active' }).statuses).toEqual(['active']);
  });
});

const names = (nameservers: Json) =>
  parseRegistration({ nameservers }).hosts.map(({ name }) => name);

describe('nameservers', () => {
  it('are read without the note that the registry of .fi appends', () => {
    expect(names([{ ldhName: 'ns1.example.fi [OK]' }])).toEqual(['ns1.example.fi']);
    expect(names([{ ldhName: 'not [OK] delegated' }])).toEqual([]);
  });

  it.each<[string, Json]>([
    ['plain texts', ['NS1.example.test.', 'ns1.example.test']],
    ['an object with numeric keys', { 0: { ldhName: 'ns1.example.test' } }],
    ['a single object without a list', { ldhName: 'ns1.example.test' }],
    [
      'a list with invalid entries',
      [null, 3, {}, { ldhName: '' }, { ldhName: 'not delegated' }, 'ns1.example.test'],
    ],
  ])('may be sent as %s', (_case, sent) => {
    expect(names(sent)).toEqual(['ns1.example.test']);
  });

  it('may be in the member nameServers', () => {
    expect(parseRegistration({ nameServers: ['ns1.example.test'] }).hosts).toHaveLength(1);
  });

  it('are returned as A-labels if only their Unicode name is sent', () => {
    expect(names([{ unicodeName: 'NS.Bücher.test.' }, { ldhName: 'ns.bücher.example' }])).toEqual([
      'ns.xn--bcher-kva.test',
      'ns.xn--bcher-kva.example',
    ]);
  });

  it('that are sent twice are merged with all valid addresses', () => {
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
    ['only DS records', { dsData: [ds] }, true],
    ['only keys', { keyData: [{ flags: 257 }] }, true],
    ['an empty object', {}, undefined],
    [
      'invalid values',
      { delegationSigned: { toString: 1 }, dsData: [{ keyTag: '123', digest: 9 }] },
      undefined,
    ],
    ['null', null, undefined],
  ])('is read from %s', (_case, secureDNS, signed) => {
    expect(parseRegistration({ secureDNS }).dnssec.signed).toBe(signed);
  });

  it('records may have numbers as texts and spaces in the digest; incomplete ones are omitted', () => {
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

  it('records that are sent twice are listed once', () => {
    const dsData: Json = [
      ds,
      { ...ds, digest: 'AB01' },
      { ...ds, keyTag: 2 },
      { ...ds, keyTag: '1' },
    ];
    expect(parseRegistration({ secureDNS: { dsData } }).dnssec.dsRecords).toMatchObject([
      { keyTag: 1 },
      { keyTag: 2 },
    ]);
  });
});

it('malicious member names do not change prototypes', () => {
  const object = JSON.parse(
    '{"__proto__":{"handle":"X"},"entities":[{"__proto__":{"roles":["registrar"]},"handle":"C"}],"status":{"constructor":1}}',
  ) as JsonObject;
  const registration = parseRegistration(object);
  expect(registration).not.toHaveProperty('handle');
  expect(registration).not.toHaveProperty('registrar');
  expect(registration.statuses).toEqual(['constructor']);
  expect(Object.keys(Object.prototype)).toEqual([]);
});

/** JSON with the members that the parser reads and arbitrary values. */
const arbitraryJson = fc.letrec<{ json: Json; object: JsonObject }>((tie) => {
  const member = fc.constantFrom(
    ...Object.keys(complete),
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
  const text = fc.constantFrom(
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
      text,
      fc.string(),
      fc.double(),
      fc.constantFrom(null, true, false),
      fc.array(tie('json')),
      tie('object'),
    ),
    object: fc.dictionary(fc.oneof(member, fc.string()), tie('json')),
  };
});

const expectSerializable = (object: JsonObject) => {
  expect(JSON.stringify(parseRegistration(object))).toContain('"hosts":');
};

it('any JSON object is parsed into a registration that can be serialized', () => {
  fc.assert(fc.property(arbitraryJson.object, expectSerializable), { numRuns: 500 });
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) =>
      expectSerializable(JSON.parse(JSON.stringify(object)) as JsonObject),
    ),
  );
});
