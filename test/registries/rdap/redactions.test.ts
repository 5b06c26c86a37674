import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../src/domain/registration.ts';
import { parseRegistration } from '../../../src/registries/rdap/registration.ts';

const placeholder = 'REDACTED FOR PRIVACY';
const contact = (roles: Json, ...properties: Json[]): JsonObject => ({
  roles,
  vcardArray: ['vcard', properties],
});
const text = (name: string, value: Json): Json => [name, {}, 'text', value];
const redacted = (...entities: JsonObject[]) => parseRegistration({ entities }).redacted;
const names = (...entities: JsonObject[]) => redacted(...entities).map(({ name }) => name);

describe('redactions', () => {
  it('have a name, a method and a reason, from a description, a type or a text', () => {
    const sent: Json = [
      { name: { type: 'Tech Email' }, reason: { type: 'Policy' }, prePath: '$..[?(@.x)]' },
      { name: 'Fax', method: 'replacementValue', reason: {} },
      'x',
    ];
    expect(parseRegistration({ redacted: sent }).redacted).toEqual([
      { name: 'Tech Email', method: 'removal', reason: 'Policy' },
      { name: 'Fax', method: 'replacementValue' },
    ]);
  });

  it('include a value that the server replaced by a placeholder, without the text', () => {
    expect(redacted(contact('registrant', text('fn', 'Ano Nymous')))).toEqual([
      {
        name: 'Registrant Name',
        method: 'replacementValue',
        reason: 'The server sent a placeholder.',
      },
    ]);
  });

  it.each<[string, Json]>([
    ['Registrant Name', text('fn', placeholder)],
    ['Registrant Name', text('n', [placeholder, placeholder, '', '', ''])],
    ['Registrant Organization', text('org', [placeholder])],
    ['Registrant Email', text('email', 'redacted@nominet.uk')],
    ['Registrant Email', ['contact-uri', {}, 'uri', 'mailto:dataprivacyprotected@ionos.de']],
    ['Registrant Email', text('email', placeholder)],
    ['Registrant Phone', text('tel', placeholder)],
    ['Registrant Phone', ['tel', { type: 'voice' }, 'uri', 'tel:+0.00000000']],
    ['Registrant Fax', ['tel', { type: 'fax' }, 'uri', placeholder]],
    ['Registrant Street', text('adr', ['', '', [placeholder], '', '', '', 'DE'])],
    ['Registrant City', text('adr', ['', '', '', placeholder, '', '', 'DE'])],
    ['Registrant State/Province', text('adr', ['', '', '', '', placeholder, '', 'DE'])],
    ['Registrant Postal Code', text('adr', ['', '', '', '', '', placeholder, 'DE'])],
    ['Registrant Country', text('adr', ['', '', '1 Main St', '', '', '', placeholder])],
    ['Registrant Street', text('adr', [placeholder, placeholder])],
  ])('include %s', (name, property) => {
    expect(names(contact('registrant', property))).toEqual([name]);
  });

  it('include the withheld handles of the domain and its contacts', () => {
    const object = {
      handle: 'REDACTED-BY-REGISTRY',
      entities: [{ roles: ['registrant', 'technical'], handle: placeholder }],
    };
    expect(parseRegistration(object).redacted.map(({ name }) => name)).toEqual([
      'Registry Domain ID',
      'Registry Registrant ID',
      'Registry Tech ID',
    ]);
  });

  it('use the role names of the gTLD profile, without duplicates', () => {
    const withheld = text('fn', placeholder);
    expect(
      names(
        contact(['registrant', 'administrative'], withheld),
        contact('technical', withheld),
        contact(['registrant', 'billing'], withheld),
      ),
    ).toEqual(['Registrant Name', 'Admin Name', 'Tech Name', 'Billing Name']);
    expect(names(contact('noc', withheld))).toEqual(['Noc Name']);
  });

  it('do not include other texts, or placeholders next to an actual value', () => {
    expect(
      names(
        contact(
          'registrant',
          text('fn', ''),
          text('org', 'none'),
          text('email', 'not applicable'),
          text('tel', '-'),
        ),
      ),
    ).toEqual([]);
    expect(names(contact('registrant', text('fn', placeholder), text('fn', 'Ada')))).toEqual([]);
    expect(
      names(
        contact(
          'registrant',
          text('email', 'redacted@nominet.uk'),
          text('email', 'ada@example.test'),
        ),
      ),
    ).toEqual([]);
    expect(
      names(
        contact('registrant', [
          'adr',
          { cc: 'DE' },
          'text',
          ['', '', 'x', '', '', '', placeholder],
        ]),
      ),
    ).toEqual([]);
  });

  it('do not include the registrar, or duplicates of redactions that the server declares', () => {
    expect(names(contact('registrar', text('fn', placeholder)))).toEqual([]);
    const object: JsonObject = {
      handle: 'REDACTED-BY-REGISTRY',
      redacted: [
        { name: 'Domain handle' },
        { name: { description: 'Technical name' } },
        { name: { type: 'Registrant Organisation' }, method: 'emptyValue' },
      ],
      entities: [
        contact(['registrant', 'technical'], text('fn', placeholder), text('org', placeholder)),
      ],
    };
    expect(parseRegistration(object).redacted.map(({ name }) => name)).toEqual([
      'Domain handle',
      'Technical name',
      'Registrant Organisation',
      'Registrant Name',
      'Tech Organization',
    ]);
  });

  it('are limited to 200', () => {
    const many = Array.from({ length: 150 }, (_, index) =>
      contact([`role ${index}`], text('fn', placeholder), text('org', placeholder)),
    );
    expect(redacted(...many)).toHaveLength(200);
  });
});
