// cspell:ignore regid
import { expect, it } from 'vitest';
import { startFakeRegistry } from '../support/servers/fake-registry.ts';
import { forThisFile } from '../support/for-this-file.ts';
import { startGateway, type Json } from '../support/gateways/gateway.ts';
import { network } from '../support/bodies/registry-objects.ts';
import { json, registered } from '../support/bodies/replies.ts';

const registry = await forThisFile(startFakeRegistry);
const gateway = await forThisFile(startGateway, {
  registries: { aa: registry.baseUrl },
  objects: { ipv4: { '8.0.0.0/8': registry.baseUrl }, asn: { '100-200': registry.baseUrl } },
});

const vcard = (...properties: readonly unknown[]) => ['vcard', properties];
const jcard = {
  vcardArray: vcard(
    ['version', {}, 'text', '4.0'],
    ['kind', {}, 'text', 'individual'],
    ['fn', {}, 'text', 'Ada Example'],
    ['org', {}, 'text', 'Example Ltd'],
    ['email', { pref: '2' }, 'text', 'second@example.test'],
    ['email', { pref: '1' }, 'text', 'ada@example.test'],
    ['tel', { type: ['work', 'FAX'] }, 'uri', 'tel:+44.2000000002'],
    ['tel', { type: 'cell' }, 'uri', 'tel:+44.2000000003'],
    ['tel', { type: ['voice', 'text'], pref: '1' }, 'uri', 'tel:+44.2000000001;ext=5'],
    ['tel', {}, 'text', '+44.2000000004'],
    ['tel', { type: 'voice' }, 'text', 'REDACTED FOR PRIVACY'],
    ['url', {}, 'uri', 'https://www.example.test/'],
    ['adr', { cc: 'UK' }, 'text', ['', '', ['1 High Street'], 'London', '', 'N1 1AA', '']],
  ),
};
/** The same contact in the other form. */
const jscontact = {
  jscontact_card: {
    '@type': 'Card',
    version: '2.0',
    kind: 'individual',
    name: { full: 'Ada Example' },
    organizations: { a: { name: 'Example Ltd' } },
    emails: { a: { address: 'second@example.test' }, b: { address: 'ada@example.test', pref: 1 } },
    phones: {
      a: { number: 'tel:+44.2000000002', features: { fax: true } },
      b: { number: 'tel:+44.2000000003', features: { mobile: true } },
      c: { number: 'tel:+44.2000000001;ext=5', features: { voice: true, text: true }, pref: 1 },
      d: { number: '+44.2000000004' },
    },
    links: {
      a: { uri: 'https://other.example.test/', pref: 50 },
      b: { uri: 'https://www.example.test/', pref: 1 },
    },
    addresses: {
      a: { components: [{ kind: 'locality', value: 'Paris' }], countryCode: 'FR', pref: 2 },
      b: {
        components: [
          { kind: 'name', value: '1 High Street' },
          { kind: 'locality', value: 'London' },
          { kind: 'postcode', value: 'N1 1AA' },
        ],
        countryCode: 'GB',
        pref: 1,
      },
    },
  },
};

it.each([
  ['jcard', jcard],
  ['jscontact', jscontact],
])('gives a contact and its numbers as JSContact, if it was sent as %s', async (form, card) => {
  const entity = { objectClassName: 'entity', handle: 'R-1', roles: ['registrant'], ...card };
  registry.on(`${form}.aa`, registered(`${form}.aa`, { members: { entities: [entity] } }));
  const { data } = await gateway.graphql(`{ domain(name: "${form}.aa") { registration {
    registrant { phone fax phones { number types } jscontact }
  } } }`);
  const { jscontact: output, ...numbers } = data.domain.registration.registrant;
  const phones = [
    { number: '+44.2000000001 ext. 5', types: ['voice', 'text'] },
    { number: '+44.2000000002', types: ['fax'] },
    { number: '+44.2000000003', types: ['cell'] },
    { number: '+44.2000000004', types: [] },
  ];
  expect(numbers).toEqual({ phone: phones[0]?.number, fax: phones[1]?.number, phones });
  expect(output).toEqual({
    '@type': 'Card',
    version: '1.0',
    uid: expect.stringMatching(
      /^urn:uuid:[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/,
    ),
    kind: 'individual',
    name: { full: 'Ada Example' },
    organizations: { org: { name: 'Example Ltd' } },
    emails: { email: { address: 'ada@example.test' } },
    phones: {
      phone: { number: phones[0]?.number, features: { voice: true, text: true } },
      'phone-2': { number: phones[1]?.number, features: { fax: true } },
      'phone-3': { number: phones[2]?.number, features: { mobile: true } },
      'phone-4': { number: phones[3]?.number },
    },
    links: { url: { uri: 'https://www.example.test/' } },
    addresses: {
      address: {
        components: [
          { kind: 'name', value: '1 High Street' },
          { kind: 'locality', value: 'London' },
          { kind: 'postcode', value: 'N1 1AA' },
        ],
        countryCode: 'GB',
      },
    },
  });
  const { registration } = await gateway.get(`/v1/rdap?domain=${form}.aa`);
  expect(registration.registrant.phones).toEqual(phones);
  // The gateway reads what it writes.
  const again = { objectClassName: 'entity', roles: ['registrant'], jscontact_card: output };
  registry.on(`${form}-2.aa`, registered(`${form}-2.aa`, { members: { entities: [again] } }));
  const { data: second } = await gateway.graphql(`{ domain(name: "${form}-2.aa") {
    registration { registrant { phones { number types } } }
  } }`);
  expect(second.domain.registration.registrant.phones).toEqual(phones);
});

/** An entity with a role that several have, as at RIPE NCC. */
const registrant = (handle: string, name: string, kind: string): Json => ({
  objectClassName: 'entity',
  handle,
  roles: ['registrant'],
  vcardArray: vcard(['fn', {}, 'text', name], ['kind', {}, 'text', kind]),
});
const maintainers = ['A-MNT', 'MNT-B'].map((name) => registrant(name, name, 'individual'));
const organization = registrant('ORG-EX1-RIPE', 'Example BV', 'org');
const person = registrant('AE1-RIPE', 'Ada Example', 'individual');

it.each([
  ['an organization', [...maintainers, person, organization], 'ORG-EX1-RIPE'],
  ['a person', [...maintainers, person], 'AE1-RIPE'],
  ['a maintainer', maintainers, null],
  ['nobody', [], null],
])('finds the holder among registrants where it is %s', async (_what, entities, handle) => {
  registry.on('ip/8.8.8.8', network('8.8.8.0', '8.8.8.255', { entities }));
  registry.on(
    'autnum/150',
    json(200, { objectClassName: 'autnum', startAutnum: 150, endAutnum: 150, entities }),
  );
  const fields = 'holder { handle roles contact { name } } entities { handle }';
  const { data } = await gateway.graphql(
    `{ ip(address: "8.8.8.8", maxAge: 0) { ${fields} } autnum(number: 150, maxAge: 0) { ${fields} } }`,
  );
  expect(data.ip.holder?.handle ?? null).toBe(handle);
  expect(data.autnum).toEqual(data.ip);
  expect(data.ip.entities).toHaveLength(entities.length);
});
