import { describe, expect, it } from 'vitest';
import type { Json, JsonObject, Registrar } from '../../../src/domain/registration.ts';
import {
  parseRegistrarRecord,
  parseRegistration,
} from '../../../src/registries/rdap/registration.ts';

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
const registrar = (more: JsonObject, ...others: JsonObject[]) =>
  registrarUnder('com', more, ...others);
const registrarUnder = (tld: string, more: JsonObject, ...others: JsonObject[]) =>
  parseRegistration({
    ldhName: `EXAMPLE.${tld}.`,
    entities: [entity('Registrar', more), ...others],
  }).registrar;
const registrarOfRecord = (...entities: JsonObject[]) =>
  parseRegistrarRecord({ entities }).registrar;
const contacts = (...entities: Json[]) => parseRegistration({ entities }).contacts;

const ianaIds = { publicIds: [{ type: 'IANA Registrar ID', identifier: '292' }] };

describe('the registrar', () => {
  it('is named by its full name, or else its organisation, or else its handle', () => {
    expect(
      registrar({ handle: 'H', vcardArray: vcard('Full', ['org', {}, 'text', 'Org']) })?.name,
    ).toBe('Full');
    expect(
      registrar({ handle: 'H', vcardArray: vcard('', ['org', {}, 'text', 'Org']) })?.name,
    ).toBe('Org');
    expect(registrar({ handle: 'H' })?.name).toBe('H');
    expect(registrar({ handle: 'not applicable' })).toEqual({});
  });

  it.each<[string, JsonObject, string | undefined]>([
    [
      'from its public ids, ignoring case',
      {
        publicIds: [
          { type: 'x', identifier: '1' },
          { type: 'iana registrar id', identifier: '292' },
        ],
      },
      '292',
    ],
    ['from a number', { publicIds: [{ type: 'IANA Registrar ID', identifier: 292 }] }, '292'],
    [
      'from a single public id without a list',
      { publicIds: { type: 'IANA Registrar ID', identifier: '0292' } },
      '292',
    ],
    ['from a handle that is a number', { handle: '292' }, '292'],
    ['not from another handle', { handle: 'REG-292' }, undefined],
    [
      'not from 0000, which means no id',
      { handle: '0000', publicIds: [{ type: 'IANA Registrar ID', identifier: '0000' }] },
      undefined,
    ],
  ])('has an IANA id %s', (_case, sent, ianaId) => {
    expect(registrar(sent)?.ianaId).toBe(ianaId);
  });

  it('has an IANA id from its handle only under gTLDs, and only without public ids', () => {
    expect(registrarUnder('xyz', { handle: '146' })?.ianaId).toBe('146');
    expect(registrarUnder('xn--fiq228c5hs', { handle: '146' })?.ianaId).toBe('146');
    for (const tld of ['kg', 'co.uk', 'xn--p1ai'])
      expect(registrarUnder(tld, { handle: '146' })).toEqual({ handle: '146', name: '146' });
    const publicIds = [{ type: 'Registry Identifier', identifier: '146' }];
    for (const tld of ['kg', 'com'])
      expect(registrarUnder(tld, { handle: '146', publicIds })?.ianaId).toBeUndefined();
    expect(registrarUnder('kg', { handle: '7', ...ianaIds })?.ianaId).toBe('292');
  });

  it.each<[string, JsonObject, string | undefined]>([
    [
      'organization',
      { vcardArray: vcard('Abuse', ['org', {}, 'text', 'Example Inc']) },
      'Example Inc',
    ],
    ['name', { vcardArray: vcard('Example Inc') }, 'Example Inc'],
    ['handle', { vcardArray: vcard('Abuse Desk') }, 'R1'],
    ['handle', { vcardArray: vcard('Ada Example', ['kind', {}, 'text', 'individual']) }, 'R1'],
  ])('without a name has the %s that its abuse contact gives: %j', (_member, contact, name) => {
    expect(registrar({ handle: 'R1', entities: [entity('abuse', contact)] })?.name).toBe(name);
    expect(
      registrar({ vcardArray: vcard('Registrar'), entities: [entity('abuse', contact)] })?.name,
    ).toBe('Registrar');
  });

  it.each(
    Object.entries<{ readonly sent: JsonObject; readonly url: string | undefined }>({
      'from its about link': {
        sent: {
          links: [
            { rel: 'self', href: 'https://a.test/' },
            { rel: 'About', href: 'https://b.test/' },
          ],
        },
        url: 'https://b.test/',
      },
      'from a host that only sounds like RDAP': {
        sent: { links: [{ rel: 'about', href: 'https://www.nordapp.test/' }] },
        url: 'https://www.nordapp.test/',
      },
      'from its jCard': {
        sent: { vcardArray: vcard('R', ['url', {}, 'uri', 'https://c.test/']) },
        url: 'https://c.test/',
      },
      'not from an RDAP URL': {
        sent: { links: [{ rel: 'about', href: 'https://rdap.registrar.test/v1' }] },
        url: undefined,
      },
      'not from URLs other than http: and https:': {
        sent: { links: [{ rel: 'about', href: 'javascript:alert(1)' }, { rel: 'about' }, null] },
        url: undefined,
      },
    }),
  )('has a website %s', (_case, { sent, url }) => {
    expect(registrar(sent)?.url).toBe(url);
  });

  it('has an abuse contact from its child entities, from itself or from its siblings', () => {
    const abuse = { vcardArray: vcard('', email('abuse@registrar.test')) };
    expect(
      registrar({ entities: [entity('technical', abuse), entity('Abuse', abuse)] })?.abuseEmail,
    ).toBe('abuse@registrar.test');
    expect(registrar({ entities: entity('abuse', abuse) })?.abuseEmail).toBe(
      'abuse@registrar.test',
    );
    expect(registrar({ roles: ['registrar', 'abuse'], ...abuse })?.abuseEmail).toBe(
      'abuse@registrar.test',
    );
    expect(registrar({ entities: [entity('abuse')] }, entity(['abuse'], abuse))?.abuseEmail).toBe(
      'abuse@registrar.test',
    );
    expect(registrar(abuse)).not.toHaveProperty('abuseEmail');
  });

  it('is not a contact, and neither are its child entities', () => {
    const registration = parseRegistration({
      entities: [
        entity(['registrar', 'sponsor'], { handle: 'R', entities: [entity('technical')] }),
      ],
    });
    expect(registration.contacts).toEqual([]);
  });

  it('is the sponsor, or else the first active one, if several are listed', () => {
    const former = entity(['registrar'], { handle: 'FORMER', status: ['inactive'] });
    const current = entity(['registrar', 'sponsor'], { handle: 'CURRENT' });
    expect(
      parseRegistration({ entities: [entity('registrar', { handle: 'OTHER' }), current] }).registrar
        ?.name,
    ).toBe('CURRENT');
    expect(
      parseRegistration({ entities: [former, entity('registrar', { handle: 'CURRENT' })] })
        .registrar?.name,
    ).toBe('CURRENT');
    expect(
      parseRegistration({
        entities: [entity('registrar', { handle: 'FIRST' }), entity('registrar')],
      }).registrar?.name,
    ).toBe('FIRST');
    expect(parseRegistration({ entities: [former] }).registrar?.name).toBe('FORMER');
  });

  it('is also the registrant if it has both roles', () => {
    expect(
      parseRegistration({ entities: [entity(['registrar', 'registrant'], { handle: 'R' })] })
        .registrant?.handle,
    ).toBe('R');
  });
});

const desk = {
  vcardArray: vcard('Abuse Desk', email('abuse@registrar.test'), ['tel', {}, 'uri', 'tel:+1.1']),
};
const abuseContact = { abuseEmail: 'abuse@registrar.test', abusePhone: '+1.1' };

describe("the registrar in a registrar's record", () => {
  it.each(
    Object.entries<{ readonly entities: JsonObject[]; readonly expected: Registrar | undefined }>({
      'is the registrar entity if there is one': {
        entities: [entity('abuse', desk), entity('registrar', { handle: 'R' })],
        expected: { handle: 'R', name: 'R', ...abuseContact },
      },
      'has the abuse contact if there is no registrar entity': {
        entities: [entity('registrant', { handle: 'C' }), entity('Abuse', desk)],
        expected: abuseContact,
      },
      'has the IANA id of the abuse contact': {
        entities: [entity('abuse', { ...desk, ...ianaIds })],
        expected: { ianaId: '292', ...abuseContact },
      },
      'is absent if the abuse contact has no address or number': {
        entities: [entity('abuse', { vcardArray: vcard('Abuse Desk') })],
        expected: undefined,
      },
      'is absent if the abuse contact belongs to the registrant': {
        entities: [entity('registrant', { entities: [entity('abuse', desk)] })],
        expected: undefined,
      },
      'is absent if the registrant is the abuse contact': {
        entities: [entity(['registrant', 'abuse'], desk)],
        expected: undefined,
      },
    }),
  )('%s', (_case, { entities, expected }) => {
    expect(registrarOfRecord(...entities)).toEqual(expected);
  });

  it('is not read from the abuse contact in a registry’s record', () => {
    expect(parseRegistration({ entities: [entity('abuse', desk)] })).not.toHaveProperty(
      'registrar',
    );
  });
});

describe('contacts', () => {
  it.each([
    'REDACTED FOR PRIVACY',
    'not applicable',
    'None',
    'Private',
    'REDACTED-BY-SOMEONE',
    'REDACTED-SIDN',
    'SIDN_REDACTED',
    '',
  ])('with the placeholder handle %j have no handle', (handle) => {
    expect(contacts(entity('technical', { handle }))).toEqual([{ roles: ['technical'] }]);
    expect(parseRegistration({ handle })).not.toHaveProperty('handle');
  });

  it('that are listed once per role are merged, with all roles', () => {
    const same = { handle: 'C1', vcardArray: vcard('Ada') };
    expect(
      contacts(entity(['Technical'], same), entity(['billing'], same), entity('technical', same)),
    ).toEqual([{ roles: ['technical', 'billing'], handle: 'C1', name: 'Ada' }]);
  });

  it('do not get values that are withheld in one role from another role with the same handle', () => {
    const [registrant, technical] = contacts(
      entity('registrant', { handle: 'C1', vcardArray: vcard('Ada') }),
      entity('technical', {
        handle: 'C1',
        vcardArray: vcard('REDACTED FOR PRIVACY', email('a@example.test')),
      }),
    );
    expect(registrant).toEqual({ roles: ['registrant'], handle: 'C1', name: 'Ada' });
    expect(technical).toEqual({ roles: ['technical'], handle: 'C1', email: 'a@example.test' });
  });

  it('without data are not merged', () => {
    expect(contacts(entity('registrant'), entity('technical'))).toEqual([
      { roles: ['registrant'] },
      { roles: ['technical'] },
    ]);
  });

  it('may be nested in another contact', () => {
    expect(
      contacts(
        entity('registrant', { handle: 'C1', entities: [entity('technical', { handle: 'C2' })] }),
      ),
    ).toEqual([
      { roles: ['registrant'], handle: 'C1' },
      { roles: ['technical'], handle: 'C2' },
    ]);
  });

  it('may be in an object with numeric keys, and have a single role as a text, or none', () => {
    const entities: Json = {
      0: { role: 'Registrant', handle: 7 },
      1: { handle: 'C2', roles: null },
    };
    expect(parseRegistration({ entities }).contacts).toEqual([
      { roles: ['registrant'], handle: '7' },
      { roles: [], handle: 'C2' },
    ]);
  });

  it('that are invalid do not affect valid ones', () => {
    const invalid: Json[] = [
      null,
      'x',
      5,
      [],
      {},
      { vcardArray: { a: 1 } },
      { roles: 7, vcardArray: ['vcard', [[['fn']], ['adr', null, null, { a: [] }]]] },
    ];
    expect(contacts(...invalid, entity('registrant', { handle: 'C1' }))).toEqual([
      { roles: ['registrant'], handle: 'C1' },
    ]);
  });

  it('are limited to 200', () => {
    expect(
      contacts(...Array.from({ length: 1000 }, (_, i) => entity('technical', { handle: `C${i}` }))),
    ).toHaveLength(200);
  });
});
