import { describe, expect, it } from 'vitest';
import type { Json, JsonObject, Registrar } from '../../../../src/domain/registration.ts';
import {
  parseRegistrarRecord,
  parseRegistration,
} from '../../../../src/sources/rdap/parser/registration.ts';

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
  parseRegistration({ entities: [entity('Registrar', more), ...others] }).registrar;
const own = (...entities: JsonObject[]) => parseRegistrarRecord({ entities }).registrar;
const contacts = (...entities: Json[]) => parseRegistration({ entities }).contacts;

describe('the registrar', () => {
  it('is named by its full name, else its organisation, else its handle', () => {
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
      'from its public ids, in any case',
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
      'from one public id without a list',
      { publicIds: { type: 'IANA Registrar ID', identifier: '0292' } },
      '292',
    ],
    ['from a handle that is a number', { handle: '292' }, '292'],
    ['not from another handle', { handle: 'REG-292' }, undefined],
    [
      'not from 0000, which means none',
      { handle: '0000', publicIds: [{ type: 'IANA Registrar ID', identifier: '0000' }] },
      undefined,
    ],
  ])('has its IANA id %s', (_title, sent, ianaId) => {
    expect(registrar(sent)?.ianaId).toBe(ianaId);
  });

  it.each<[string, JsonObject, string | undefined]>([
    [
      'its about link',
      {
        links: [
          { rel: 'self', href: 'https://a.test/' },
          { rel: 'About', href: 'https://b.test/' },
        ],
      },
      'https://b.test/',
    ],
    [
      'a host that only sounds like RDAP',
      { links: [{ rel: 'about', href: 'https://www.nordapp.test/' }] },
      'https://www.nordapp.test/',
    ],
    [
      'its card',
      { vcardArray: vcard('R', ['url', {}, 'uri', 'https://c.test/']) },
      'https://c.test/',
    ],
    [
      'no RDAP address',
      { links: [{ rel: 'about', href: 'https://rdap.registrar.test/v1' }] },
      undefined,
    ],
    [
      'nothing but the web',
      { links: [{ rel: 'about', href: 'javascript:alert(1)' }, { rel: 'about' }, null] },
      undefined,
    ],
  ])('has its site from %s', (_title, sent, url) => {
    expect(registrar(sent)?.url).toBe(url);
  });

  it('has its abuse contact inside it, on itself or beside it', () => {
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

  it('is no contact, and neither are its people', () => {
    const registration = parseRegistration({
      entities: [
        entity(['registrar', 'sponsor'], { handle: 'R', entities: [entity('technical')] }),
      ],
    });
    expect(registration.contacts).toEqual([]);
  });

  it('is the one that sponsors the registration, where several are listed', () => {
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

  it('who holds the name itself is its registrant too', () => {
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
const ianaIds = { publicIds: [{ type: 'IANA Registrar ID', identifier: '292' }] };

describe("the registrar of the registrar's own record", () => {
  it.each<[string, JsonObject[], Registrar | undefined]>([
    [
      'is the registrar entity where there is one',
      [entity('abuse', desk), entity('registrar', { handle: 'R' })],
      { name: 'R', ...abuseContact },
    ],
    [
      'has the abuse contact where there is none',
      [entity('registrant', { handle: 'C' }), entity('Abuse', desk)],
      abuseContact,
    ],
    [
      'has the IANA id that the abuse contact has',
      [entity('abuse', { ...desk, ...ianaIds })],
      { ianaId: '292', ...abuseContact },
    ],
    [
      'is absent where the abuse contact is unreachable',
      [entity('abuse', { vcardArray: vcard('Abuse Desk') })],
      undefined,
    ],
    [
      'is absent where the abuse contact is that of the holder',
      [entity('registrant', { entities: [entity('abuse', desk)] })],
      undefined,
    ],
    [
      'is absent where the holder is the abuse contact',
      [entity(['registrant', 'abuse'], desk)],
      undefined,
    ],
  ])('%s', (_title, entities, expected) => {
    expect(own(...entities)).toEqual(expected);
  });

  it('is no abuse contact in the record of the registry', () => {
    expect(parseRegistration({ entities: [entity('abuse', desk)] })).not.toHaveProperty(
      'registrar',
    );
  });
});

describe('contacts', () => {
  it.each(['REDACTED FOR PRIVACY', 'not applicable', 'None', 'Private', 'REDACTED-BY-SOMEONE', ''])(
    'with the handle %j have none',
    (handle) => {
      expect(contacts(entity('technical', { handle }))).toEqual([{ roles: ['technical'] }]);
      expect(parseRegistration({ handle })).not.toHaveProperty('handle');
    },
  );

  it('listed once for each role are one, with all roles', () => {
    const same = { handle: 'C1', vcardArray: vcard('Ada') };
    expect(
      contacts(entity(['Technical'], same), entity(['billing'], same), entity('technical', same)),
    ).toEqual([{ roles: ['technical', 'billing'], handle: 'C1', name: 'Ada' }]);
  });

  it('withheld in one role do not come back from another, though the handle is the same', () => {
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

  it('of whom nothing is known are not taken for one', () => {
    expect(contacts(entity('registrant'), entity('technical'))).toEqual([
      { roles: ['registrant'] },
      { roles: ['technical'] },
    ]);
  });

  it('may stand inside another contact', () => {
    expect(
      contacts(
        entity('registrant', { handle: 'C1', entities: [entity('technical', { handle: 'C2' })] }),
      ),
    ).toEqual([
      { roles: ['registrant'], handle: 'C1' },
      { roles: ['technical'], handle: 'C2' },
    ]);
  });

  it('may stand in an object with numeric keys, have one role as a text, or none', () => {
    const entities: Json = {
      0: { role: 'Registrant', handle: 7 },
      1: { handle: 'C2', roles: null },
    };
    expect(parseRegistration({ entities }).contacts).toEqual([
      { roles: ['registrant'], handle: '7' },
      { roles: [], handle: 'C2' },
    ]);
  });

  it('that are odd are lost alone', () => {
    const odd: Json[] = [
      null,
      'x',
      5,
      [],
      {},
      { vcardArray: { a: 1 } },
      { roles: 7, vcardArray: ['vcard', [[['fn']], ['adr', null, null, { a: [] }]]] },
    ];
    expect(contacts(...odd, entity('registrant', { handle: 'C1' }))).toEqual([
      { roles: ['registrant'], handle: 'C1' },
    ]);
  });

  it('are cut off where no honest answer goes on', () => {
    expect(
      contacts(...Array.from({ length: 1000 }, (_, i) => entity('technical', { handle: `C${i}` }))),
    ).toHaveLength(200);
  });
});
