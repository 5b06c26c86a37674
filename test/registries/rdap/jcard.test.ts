import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/domain/registration.ts';
import { readCard } from '../../../src/registries/rdap/jcard.ts';

const card = (...properties: Json[]): Json => [
  'vcard',
  [['version', {}, 'text', '4.0'], ...properties],
];
const text = (name: string, value: Json): Json => [name, {}, 'text', value];
const read = (...properties: Json[]) => readCard({ vcardArray: card(...properties) });

describe('a jCard', () => {
  it('provides all fields of a contact', () => {
    const contact = read(
      text('fn', 'Ada Example'),
      text('kind', 'individual'),
      text('org', 'Example Ltd'),
      [
        'adr',
        { cc: 'GB' },
        'text',
        ['', 'Flat 2', '1 High Street', 'London', 'Greater London', 'N1 1AA', 'United Kingdom'],
      ],
      ['tel', { type: ['voice'] }, 'uri', 'tel:+44.2000000001'],
      ['tel', { type: 'fax' }, 'uri', 'tel:+44.2000000002'],
      text('email', 'ada@example.test'),
      ['url', {}, 'uri', 'https://www.example.test/'],
    );
    expect(contact).toEqual({
      kind: 'individual',
      name: 'Ada Example',
      organization: 'Example Ltd',
      email: 'ada@example.test',
      phone: '+44.2000000001',
      fax: '+44.2000000002',
      phones: [
        { number: '+44.2000000001', types: ['voice'] },
        { number: '+44.2000000002', types: ['fax'] },
      ],
      url: 'https://www.example.test/',
      address: {
        street: ['Flat 2', '1 High Street'],
        city: 'London',
        region: 'Greater London',
        postalCode: 'N1 1AA',
        country: 'United Kingdom',
        countryCode: 'GB',
      },
    });
  });

  it.each<[string, Json | undefined]>([
    ['absent', undefined],
    ['null', null],
    ['a text', 'vcard'],
    ['an empty object', {}],
    ['without properties', ['vcard', []]],
    ['only "vcard"', ['vcard']],
    [
      'a list of properties without values',
      card(['fn', {}, 'text'], ['adr', {}, 'text'], ['tel'], [], null, 7),
    ],
  ])('provides no fields if it is %s', (_case, sent) => {
    expect(readCard(sent === undefined ? {} : { vcardArray: sent })).toEqual({});
  });

  it.each<[string, Json]>([
    ['omits the list of properties', ['vcard', text('version', '4.0'), text('fn', 'Ada')]],
    ['omits "vcard"', [[text('fn', 'Ada')]]],
    ['omits "vcard" and nests the properties once more', [[[text('fn', 'Ada')]]]],
    ['sends an object that contains the properties', { elements: [text('fn', 'Ada')] }],
    ['sends an object that contains "vcard"', { type: 'jcard', data: card(text('fn', 'Ada')) }],
    [
      'sends "vcard" as the name of a member',
      { vcard: [text('version', '4.0'), text('fn', 'Ada')] },
    ],
    ['sends a list with such an object', ['vcard', { elements: [text('fn', 'Ada')] }]],
    ['nests the properties once more', ['vcard', [[text('fn', 'Ada')]]]],
    [
      'sends objects with numeric keys instead of lists',
      { 0: 'vcard', 1: { 0: { 0: 'fn', 1: {}, 2: 'text', 3: 'Ada' } } },
    ],
    ['sends property names in upper case', card(text('FN', 'Ada'))],
    ['sends parameters as an empty list', card(['fn', [], 'text', 'Ada'])],
    ['sends parameters as a text', card(['fn', '{}', 'text', 'Ada'])],
    ['sends the value as a list', card(text('fn', ['Ada']))],
    [
      'sends empty names before the actual one',
      card(text('fn', ''), text('fn', null), text('fn', 'Ada')),
    ],
  ])('is read even if the server %s', (_case, sent) => {
    expect(readCard({ vcardArray: sent })).toEqual({ name: 'Ada' });
  });

  it('provides the name from its components if the full name is empty', () => {
    expect(
      read(text('fn', ''), text('n', ['Example', 'Ada', ['King', 'Byron'], 'Dr.', ''])).name,
    ).toBe('Dr. Ada King Byron Example');
  });

  it('provides no name if the components form a placeholder', () => {
    expect(read(text('n', ['Nymous', 'Ano', '', '', '']))).toEqual({});
  });

  it('joins an organisation and its units', () => {
    expect(read(text('org', ['Example Ltd', ['Domains', 'North']])).organization).toBe(
      'Example Ltd, Domains, North',
    );
  });

  it.each([
    'REDACTED FOR PRIVACY',
    'Withheld for Privacy Purposes',
    'DATA REDACTED',
    'REDACTED-BY-SOMEONE',
    'Not Disclosed',
    'None',
    '-',
  ])('provides no name or organisation for %j', (placeholder) => {
    expect(read(text('fn', placeholder), text('org', placeholder))).toEqual({});
  });

  it.each([
    'Ano Nymous',
    'ANO NYMOUS',
    'REDACTED REGISTRANT',
    'Redacted admin contact',
    'Registrant information is not published',
    'Інформація про реєстранта не публікується',
    'GDPR Masked',
    'Data Protected',
    'Data Privacy Protected',
    'Private Person',
    'hidden',
    '[PRIVATE]',
    '<data not disclosed>',
    'Redacted (Privacy Protection Enabled)',
    'Not Available From Registry',
    'Personal data, can not be publicly disclosed according to applicable laws.',
  ])('provides no registrant name for %j', (placeholder) => {
    expect(read(text('fn', placeholder), text('org', placeholder))).toEqual({});
    expect(read(text('n', ['', placeholder, '', '', '']))).toEqual({});
  });

  it.each([
    'Anonymous Ltd',
    'Anon Ymous',
    'Redacted Ltd',
    'Redacted Registrant Services Ltd',
    'Private Internet Access',
    'Private Person Ltd',
    'Hidden Valley Inc.',
    'Data Protected Ltd',
    'Registrant Information Services',
    'Masked Singer GmbH',
    'Domains By Proxy, LLC',
    'Private Equity Ltd',
    'Redacted Records',
    'Withheld for Privacy ehf',
    'None Such Inc',
    'Privacy service provided by Example',
  ])('provides the name %j', (name) => {
    expect(read(text('fn', name)).name).toBe(name);
  });

  it('provides texts on one line, without control and bidi-control characters', () => {
    expect(read(text('fn', ' Ada\u0000\u001b[31m\u202eelpmaxE\t\nLtd\u2066 \ud800')).name).toBe(
      'Ada [31melpmaxE Ltd \ufffd',
    );
  });
});

describe('an e-mail address', () => {
  it('is the first non-empty one', () => {
    const sent = ['', null, 'a@example.test', 'b@example.test'];
    expect(read(...sent.map((address) => text('email', address))).email).toBe('a@example.test');
  });

  it.each([
    'mailto:a@example.test?subject=x',
    'Ada <a@example.test>',
    'a@example.test, b@example.test',
    ' a@example.test ',
  ])('is extracted from %j', (sent) => {
    expect(read(text('email', sent)).email).toBe('a@example.test');
  });

  it('is absent if a sentence is sent instead', () => {
    expect(read(text('email', 'Please query the RDDS service of the registrar'))).toEqual({});
  });

  it.each([
    'redacted@nominet.uk',
    'mailto:REDACTED@registry.test',
    'gdpr-masking@gdpr-masked.test',
    'gdpr-masked@registrar.test',
    'dataprivacyprotected@registrar.test',
    'data-protected@registrar.test',
    'redacted-for-privacy@registrar.test',
    'redactedforprivacy@registrar.test',
    'not.disclosed@registrar.test',
  ])('is not the placeholder %j', (placeholder) => {
    expect(read(text('email', placeholder))).toEqual({});
    expect(read(['contact-uri', {}, 'uri', placeholder])).toEqual({});
    expect(read(text('email', placeholder), text('email', 'a@example.test')).email).toBe(
      'a@example.test',
    );
  });

  it.each([
    'e1.protect@withheldforprivacy.test',
    'example.test-registrant@anonymised.test',
    'redacted-records@example.test',
    'masked@example.test',
    'privacy@example.test',
    'gdpr@example.test',
    'dataprotection@example.test',
    'private@example.test',
  ])('may be %j, which may be a real mailbox', (address) => {
    expect(read(text('email', address)).email).toBe(address);
  });

  it('is absent if a web form is sent instead, which becomes the URL', () => {
    expect(read(text('email', 'https://example.test/contact?d=@x'))).toEqual({
      url: 'https://example.test/contact?d=@x',
    });
  });

  it('may be in contact-uri', () => {
    expect(read(['contact-uri', {}, 'uri', 'mailto:a@example.test'])).toEqual({
      email: 'a@example.test',
    });
    expect(read(['contact-uri', {}, 'uri', 'https://example.test/form'])).toEqual({
      url: 'https://example.test/form',
    });
  });
});

describe('a telephone number', () => {
  it.each([
    ['tel:+1.5550000001', '+1.5550000001'],
    ['TEL:+1.5550000001', '+1.5550000001'],
    ['tel:+1-555-000-0001;ext=4', '+1-555-000-0001 ext. 4'],
    ['tel:+1.5550000001;ext=', '+1.5550000001'],
    ['tel:5550000001;phone-context=+1', '5550000001'],
    ['+ 1 555 000 0001', '+ 1 555 000 0001'],
    ['+1.5550000001', '+1.5550000001'],
    ['(555) 000 0001', '(555) 000 0001'],
    ['REDACTED FOR PRIVACY', undefined],
    ['tel:', undefined],
    ['tel:+7', undefined],
    ['tel:495', undefined],
    ['tel:+0.00000000', undefined],
    ['+00 000-000', undefined],
    ['ask the registrar', undefined],
  ])('sent as %j is read as %j', (sent, phone) => {
    expect(read(['tel', { type: 'voice' }, 'uri', sent]).phone).toBe(phone);
  });

  it('is a fax number only if its type says so, ignoring case', () => {
    expect(
      read(['tel', { TYPE: ['work', 'FAX'] }, 'text', '+1.1'], ['tel', [], 'text', '+1.2']),
    ).toMatchObject({ phone: '+1.2', fax: '+1.1' });
    expect(read(['tel', { type: ['voice', 'fax'] }, 'text', '+1.1'])).toEqual({
      phone: '+1.1',
      phones: [{ number: '+1.1', types: ['voice', 'fax'] }],
    });
  });
});

it.each([
  'javascript:alert(1)',
  'data:text/html,x',
  'ftp://example.test/',
  'www.example.test',
  'https://',
])('a URL is never %j', (sent) => {
  expect(read(['url', {}, 'uri', sent])).toEqual({});
});

/** The parts of an address, separated as in RFC 6350, section 6.3.1. */
const address = (parts: string, params: Json = {}) =>
  read(['adr', params, 'text', parts.split(';')]).address;

const toronto = { city: 'Toronto', postalCode: 'M5V 2T6' };
const canada = { country: 'CA', countryCode: 'CA' };
const springfield = { city: 'Springfield', region: 'Ohio', postalCode: '45501' };

describe('a postal address', () => {
  it('may have a street of several lines', () => {
    for (const street of [['1 High Street', 'Floor 2'], '1 High Street\r\nFloor 2'])
      expect(read(text('adr', ['', '', street, 'London', '', 'N1', 'GB'])).address?.street).toEqual(
        ['1 High Street', 'Floor 2'],
      );
  });

  it('may have null for empty components', () => {
    expect(read(['adr', { cc: 'DE' }, 'text', ['', '', null, null, '', null, '']]).address).toEqual(
      { street: [], countryCode: 'DE' },
    );
  });

  it('may have a country code in the parameter CC, in a separate property, or as the country', () => {
    expect(address(';;x;;;;', { CC: 'de' })?.countryCode).toBe('DE');
    const separate = text('ISO-3166-1-alpha-2', 'DE');
    expect(read(text('adr', ';;x;;;;'.split(';')), separate).address?.countryCode).toBe('DE');
    expect(address(';;x;;;;DE')).toEqual({ street: ['x'], country: 'DE', countryCode: 'DE' });
    expect(address(';;x;;;;Germany')).toEqual({ street: ['x'], country: 'Germany' });
  });

  it('may lack the box and the extension, and also the country', () => {
    const parts = { street: ['1 Main St'], ...springfield };
    expect(address('1 Main St;Springfield;Ohio;45501')).toEqual(parts);
    expect(address('1 Main St;Springfield;Ohio;45501;US')).toEqual({
      ...parts,
      country: 'US',
      countryCode: 'US',
    });
  });

  it.each<{ sent: string; cc?: string; parts: object }>([
    {
      sent: '1 Main St;Toronto;Ontario;CA',
      parts: { city: 'Toronto', region: 'Ontario', ...canada },
    },
    {
      sent: '1 Main St;Toronto;M5V 2T6;ca',
      parts: { ...toronto, country: 'ca', countryCode: 'CA' },
    },
    { sent: '1 Main St;M5V 2T6;Toronto;Canada', parts: { ...toronto, country: 'Canada' } },
    {
      sent: '1 Main St;Toronto;M5V 2T6;Canada',
      cc: 'CA',
      parts: { ...toronto, country: 'Canada', countryCode: 'CA' },
    },
    { sent: '1 Main St;;M5V 2T6;CA', parts: { postalCode: 'M5V 2T6', ...canada } },
    { sent: ';;;CA', parts: canada },
  ])('of four parts may end with the country: $sent', ({ sent, cc, parts }) => {
    const street = sent.split(';').slice(0, 1).filter(Boolean);
    expect(address(sent, cc ? { cc } : {})).toEqual({ street, ...parts });
  });

  it.each<{ unclear: string; sent: string; cc?: string; parts: object }>([
    {
      unclear: 'which of two numbers is the postal code',
      sent: 'Floor 2;Block 7 West;CA',
      parts: canada,
    },
    { unclear: 'whether a flat is a postal code', sent: 'Flat 2;Toronto;CA', parts: canada },
    {
      unclear: 'whether a flat is the city',
      sent: 'Flat 2;M5V 2T6;CA',
      parts: { postalCode: 'M5V 2T6', ...canada },
    },
    {
      unclear: 'which of two codes is the postal code',
      sent: '75001;2100;FR',
      parts: { country: 'FR', countryCode: 'FR' },
    },
    { unclear: 'whether a part is the city or the region', sent: ';Toronto;CA', parts: canada },
    {
      unclear: 'whether the last part is the country',
      sent: 'Toronto;M5V 2T6;Kanada?',
      parts: toronto,
    },
    {
      unclear: 'what a code other than the parameter means',
      sent: 'Oakland;94607;CA',
      cc: 'US',
      parts: { city: 'Oakland', postalCode: '94607', countryCode: 'US' },
    },
  ])('of four parts omits parts if it is unclear $unclear', ({ sent, cc, parts }) => {
    expect(address(`1 Main St;${sent}`, cc ? { cc } : {})).toEqual({
      street: ['1 Main St'],
      ...parts,
    });
  });

  it('may be only a label, or a single text', () => {
    const street = ['1 High Street', 'London'];
    expect(address(';;;;;;', { label: '1 High Street\nLondon\n' })).toEqual({ street });
    expect(read(text('adr', '1 High Street\nLondon')).address).toEqual({ street });
    expect(address(';;;;;;', { label: '1 High Street\\nLondon\\N1\\n' })).toEqual({
      street: [...street, '1'],
    });
  });

  it('is the first non-empty one of several', () => {
    const [empty, full] = [text('adr', ';;;;;;'.split(';')), text('adr', ';;x;;;;'.split(';'))];
    expect(read(empty, full).address).toEqual({ street: ['x'] });
  });

  it('is absent if all its parts are withheld', () => {
    expect(address(';;-;-;;-;-'.replaceAll('-', 'REDACTED FOR PRIVACY'))).toBeUndefined();
  });
});
