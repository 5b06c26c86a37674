import { expect } from 'vitest';
import type { StoredAnswer } from '../../../src/domain/answer.ts';
import { parseDomainName } from '../../../src/domain/names/domain-name.ts';
import { parseRegistration } from '../../../src/registries/rdap/registration.ts';
import type { JsonObject, Registration } from '../../../src/domain/registration.ts';
import { isObject } from '../../../src/shared/shapes.ts';

type Tester = Parameters<typeof expect.addEqualityTesters>[0][number];

// Registrations are functions; two are equal if their results are equal.
const haveEqualResults: Tester = function (one, other) {
  return typeof one === 'function' && typeof other === 'function'
    ? this.equals(one(), other())
    : undefined;
};
// The length of a registration, and its text, depend on how it was read.
const areEqualAsAnswers: Tester = function (one, other) {
  if (!isObject(one) || !isObject(other)) return undefined;
  if (![one, other].some((each) => 'characters' in each || 'objectText' in each)) return undefined;
  const answers = [one, other].map(
    ({ characters: _characters, objectText: _text, ...rest }) => rest,
  );
  return this.equals(...(answers as [object, object]), [haveEqualResults]);
};
expect.addEqualityTesters([haveEqualResults, areEqualAsAnswers]);

export const alpha = parseDomainName('alpha.example');
export const beta = parseDomainName('beta.example');
export const gamma = parseDomainName('gamma.example');
export const delta = parseDomainName('delta.example');
export const epsilon = parseDomainName('epsilon.example');

/** Returns an answer for an unregistered name. */
export function availableAnswer(name: string, checkedAt: number): StoredAnswer {
  return {
    name,
    verdict: 'AVAILABLE',
    endpoint: 'https://rdap.example/',
    checkedAt,
    isComplete: true,
  };
}

/** Returns an answer for a name registered by `person`. */
export function registeredAnswer(
  name: string,
  checkedAt: number,
  person = 'Ada Lovelace',
  raw: JsonObject = { fn: person },
): StoredAnswer {
  const registrant = { roles: ['registrant'], name: person };
  const registration = { ...withoutContacts(name), registrant, contacts: [registrant], raw };
  const expiresAt = Date.UTC(2027, 0, 31);
  return {
    name,
    verdict: 'REGISTERED',
    endpoint: 'https://rdap.example/',
    checkedAt,
    expiresAt,
    registration: () => registration,
    isComplete: true,
  };
}

/** Returns an answer for a name registered by `person`, with the text of the registry's object. */
export function answerWithText(name: string, checkedAt: number, person: string): StoredAnswer {
  const object: JsonObject = {
    objectClassName: 'domain',
    ldhName: name,
    handle: person,
    entities: [
      {
        objectClassName: 'entity',
        roles: ['registrant'],
        vcardArray: ['vcard', [['fn', {}, 'text', person]]],
      },
    ],
    events: [{ eventAction: 'expiration', eventDate: '2027-01-31T00:00:00Z' }],
  };
  return {
    ...registeredAnswer(name, checkedAt),
    registration: () => parseRegistration(object),
    objectText: () => JSON.stringify(object, null, checkedAt % 2),
  };
}

/** Returns the answer as it is read without its registration. */
export function verdictOf({ registration: _registration, ...answer }: StoredAnswer): StoredAnswer {
  return { ...answer, isComplete: false };
}

/** Returns the answer as it is after its record was deleted. */
export function withoutRecord(answer: StoredAnswer): StoredAnswer {
  if (!answer.registration) return answer;
  const { registrant: _registrant, raw: _raw, ...rest } = answer.registration();
  return { ...answer, registration: () => ({ ...rest, contacts: [] }), isComplete: false };
}

function withoutContacts(name: string): Registration {
  return {
    ldhName: name,
    hosts: [{ name: 'ns1.example', ipv4: ['192.0.2.1'], ipv6: [] }],
    statuses: ['active'],
    registrar: { name: 'A Registrar', abuseEmail: 'abuse@registrar.example' },
    contacts: [],
    expiresAt: '2027-01-31T00:00:00.000Z',
    events: [],
    dnssec: {
      signed: true,
      dsRecords: [{ keyTag: 1, algorithm: 13, digestType: 2, digest: 'ab' }],
    },
    redacted: [{ name: 'Registrant Email', method: 'removal' }],
  };
}
