import type { StoredAnswer } from '../../../src/domain/answer.ts';
import { parseDomainName, type DomainName } from '../../../src/domain/names/domain-name.ts';
import type { Contact, JsonObject } from '../../../src/domain/registration.ts';
import { readRegistration } from '../../../src/registries/rdap/registration.ts';
import { once } from '../../../src/shared/memoize.ts';

/** Returns a name. Consecutive names are scattered in alphabetical order, as real ones are. */
export function nameOf(index: number): DomainName {
  return parseDomainName(
    `${(Math.imul(index, 2_654_435_761) >>> 0).toString(36)}-${index.toString(36)}.example`,
  );
}

/** Returns an answer with a registry object of about 4.5 KB. */
export function typicalAnswer(index: number, checkedAt: number): StoredAnswer {
  const name = nameOf(index);
  const endpoint = `https://rdap.registry-${index % 300}.example/v1/`;
  const objectText = JSON.stringify(typicalObject(name, index));
  return {
    name,
    verdict: 'REGISTERED',
    endpoint,
    checkedAt,
    expiresAt: Date.UTC(2031, 2, 4),
    registration: once(() => readRegistration(objectText)),
    objectText: () => objectText,
    isComplete: true,
  };
}

/** Returns a registry object of about 4.5 KB, as gTLD registries send. */
export function typicalObject(name: string, index = 0): JsonObject {
  return {
    ...rawObject(name, index, contactsOf(index)),
    status: ['client transfer prohibited', 'client delete prohibited'],
    events: ['registration', 'last changed', 'expiration'].map((eventAction, place) => ({
      eventAction,
      eventDate: `${2011 + place * 10}-03-04T05:06:07Z`,
    })),
  };
}

function contactsOf(index: number): readonly Contact[] {
  return ['registrant', 'administrative', 'technical'].map((role) => contact(role, index));
}

function contact(role: string, index: number): Contact {
  const address = {
    street: [`${index} Example Street`],
    city: 'Springfield',
    postalCode: `${index}`,
    countryCode: 'US',
  };
  return {
    roles: [role],
    handle: `C${index}-${role}`,
    name: `Person ${index}`,
    email: `person-${index}@mail.example`,
    address,
  };
}

function rawObject(name: string, index: number, contacts: readonly Contact[]): JsonObject {
  const text = `By submitting query ${index} you agree to the terms of use of this invented registry. `;
  const jcard = (person: Contact) => [
    ['version', {}, 'text', '4.0'],
    ['fn', {}, 'text', person.name ?? ''],
    ['adr', {}, 'text', ['', '', `${index} Example Street`, 'Springfield', '', `${index}`, 'US']],
    ['email', {}, 'text', person.email ?? ''],
  ];
  return {
    objectClassName: 'domain',
    rdapConformance: [
      'rdap_level_0',
      'icann_rdap_technical_implementation_guide_1',
      'icann_rdap_response_profile_1',
      'redacted',
    ],
    ldhName: name,
    links: ['self', 'related'].map((rel) => ({
      rel,
      type: 'application/rdap+json',
      href: `https://rdap.example/domain/${name}`,
    })),
    entities: contacts.map((person) => ({
      objectClassName: 'entity',
      roles: person.roles,
      handle: person.handle ?? '',
      vcardArray: ['vcard', jcard(person)],
    })),
    nameservers: [1, 2].map((n) => ({
      objectClassName: 'nameserver',
      ldhName: `NS${n}.DNS-${index % 1000}.EXAMPLE`,
    })),
    notices: [0, 1, 2, 3, 4].map((n) => ({
      title: `Terms ${n}`,
      description: [text.repeat(7)],
      links: [{ href: 'https://registry.example/terms' }],
    })),
  };
}
