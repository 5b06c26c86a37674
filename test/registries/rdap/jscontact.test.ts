import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/domain/registration.ts';
import { readCard } from '../../../src/registries/rdap/jcard.ts';
import { parseRegistration } from '../../../src/registries/rdap/registration.ts';
import { startFakeRegistry, type FakeRegistry } from '../../support/servers/fake-registry.ts';
import { startGateway, type Gateway } from '../../support/gateways/gateway.ts';
import { network } from '../../support/bodies/registry-objects.ts';
import { registered } from '../../support/bodies/replies.ts';

/** A card with everything that contacts have (RFC 9553). */
const card = {
  '@type': 'Card',
  version: '1.0',
  uid: '74b64df3-2d60-56b4-9df3-8594886f4456',
  kind: 'individual',
  name: {
    components: [
      { kind: 'given', value: 'Ada' },
      { kind: 'surname', value: 'Example' },
    ],
    full: 'Ada Example',
  },
  organizations: { org: { name: 'Example Ltd' } },
  emails: { email: { address: 'ada@example.test' } },
  phones: {
    voice: { features: { voice: true }, number: 'tel:+44.2000000001' },
    fax: { features: { fax: true }, number: 'tel:+44.2000000002' },
  },
  links: {
    form: { kind: 'contact', uri: 'https://forms.example.test/' },
    url: { uri: 'https://www.example.test/' },
  },
  addresses: {
    addr: {
      components: [
        { kind: 'name', value: '1 High Street' },
        { kind: 'separator', value: ', ' },
        { kind: 'extension', value: 'Flat 2' },
        { kind: 'locality', value: 'London' },
        { kind: 'region', value: 'Greater London' },
        { kind: 'postcode', value: 'N1 1AA' },
        { kind: 'country', value: 'United Kingdom' },
      ],
      countryCode: 'GB',
    },
  },
} satisfies JsonObject;
const contact = {
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
    street: ['1 High Street', 'Flat 2'],
    city: 'London',
    region: 'Greater London',
    postalCode: 'N1 1AA',
    country: 'United Kingdom',
    countryCode: 'GB',
  },
};

describe('a JSContact card', () => {
  it.each(['jscontact_card', 'jscard'])('provides all fields of a contact in `%s`', (member) => {
    expect(readCard({ [member]: card })).toEqual(contact);
  });

  it('is not read beside a jCard, in which a value may be redacted', () => {
    const vcardArray = ['vcard', [['fn', {}, 'text', 'Ada']]];
    expect(readCard({ vcardArray, jscontact_card: card })).toEqual({ name: 'Ada' });
  });

  it('provides a name of components, an address without components, and a mailto: URI', () => {
    const { name, addresses: _addresses, emails: _emails, ...others } = card;
    const sparse = {
      ...others,
      name: { components: name.components },
      addresses: { a: { full: '1 High Street\nLondon' } },
      links: { mail: { kind: 'contact', uri: 'mailto:ada@example.test' } },
    };
    expect(readCard({ jscontact_card: sparse })).toMatchObject({
      name: 'Ada Example',
      email: 'ada@example.test',
      address: { street: ['1 High Street', 'London'] },
    });
  });

  it.each([
    ['no object', 'card'],
    ['a list', [card]],
    ['members of other types', { name: 'Ada', emails: ['a'], phones: 5, links: null }],
    ['entries of other types', { emails: { a: 'b', c: null }, addresses: { a: [] } }],
    [
      'values of other types',
      { name: { full: {} }, emails: { a: { address: {} } }, addresses: { a: { components: 'x' } } },
    ],
  ])('that is malformed has no contact: %s', (_what, malformed) => {
    expect(readCard({ jscontact_card: malformed } as JsonObject)).toEqual({});
  });

  it('reports placeholders as redactions, as in a jCard', () => {
    const redactedCard = { ...card, emails: { a: { address: 'REDACTED FOR PRIVACY' } } };
    const entity = { roles: ['registrant'], jscontact_card: redactedCard };
    const { registrant, redacted } = parseRegistration({ ldhName: 'a.test', entities: [entity] });
    expect(registrant?.email).toBeUndefined();
    expect(redacted).toMatchObject([{ name: 'Registrant Email' }]);
  });
});

describe('newer data of RDAP servers', () => {
  const entities = [
    {
      objectClassName: 'entity',
      handle: 'R-1',
      roles: ['registrar'],
      jscontact_card: { name: { full: 'Example Registrar' } },
      entities: [
        {
          objectClassName: 'entity',
          roles: ['abuse'],
          jscontact_card: { emails: { a: { address: 'abuse@registrar.example' } } },
        },
      ],
    },
    { objectClassName: 'entity', handle: 'C-1', roles: ['registrant'], jscontact_card: card },
  ];
  const geofeed = {
    value: 'https://rdap.example/ip/8.8.0.0/16',
    rel: 'geofeed',
    href: 'https://hosting.example/geofeed.csv',
    type: 'application/geofeed+csv',
  };
  const redacted = [{ name: { description: 'Registrant Phone' }, method: 'removal' }];
  let registry: FakeRegistry;
  let gateway: Gateway;
  beforeAll(async () => {
    registry = await startFakeRegistry();
    registry.on('taken.example', registered('taken.example', { members: { entities, redacted } }));
    registry.on(/^ip\/8\.8\./, network('8.8.0.0', '8.8.255.255', { links: [geofeed], entities }));
    registry.on(/^ip\/8\.9\./, network('8.9.0.0', '8.9.255.255'));
    gateway = await startGateway({
      registries: { example: registry.baseUrl },
      objects: { ipv4: { '8.0.0.0/8': registry.baseUrl } },
    });
  });
  afterAll(async () => {
    await gateway[Symbol.asyncDispose]();
    await registry[Symbol.asyncDispose]();
  });

  it('is in registrations like the older: contacts, the registrar and redactions', async () => {
    const { data } = await gateway.graphql(`{ domain(name: "taken.example") { rdap {
      registrar { name abuseEmail } registrant { name email } redacted { name method }
    } } }`);
    expect(data.domain.rdap).toEqual({
      registrar: { name: 'Example Registrar', abuseEmail: 'abuse@registrar.example' },
      registrant: { name: 'Ada Example', email: 'ada@example.test' },
      redacted: [{ name: 'Registrant Phone', method: 'removal' }],
    });
  });

  it('includes the geofeed of a network, in GraphQL and in REST', async () => {
    const { data } = await gateway.graphql(
      '{ with: ip(address: "8.8.8.8") { geofeed } without: ip(address: "8.9.8.8") { geofeed } }',
    );
    expect(data).toEqual({ with: { geofeed: geofeed.href }, without: { geofeed: null } });
    const { object } = await gateway.get('/v1/rdap?query=8.8.8.8');
    expect(object.geofeed).toBe(geofeed.href);
  });

  it('is relayed as sent', async () => {
    const domain = await (await gateway.fetch('/rdap/domain/taken.example')).json();
    const ip = await (await gateway.fetch('/rdap/ip/8.8.8.8')).json();
    expect([domain.entities, domain.redacted]).toEqual([entities, redacted]);
    expect([ip.entities, ip.links]).toEqual([entities, expect.arrayContaining([geofeed])]);
  });
});
