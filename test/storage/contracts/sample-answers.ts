import { expect } from 'vitest';
import type { StoredAnswer } from '../../../src/domain/answer.ts';
import { parseDomainName } from '../../../src/domain/domain-name.ts';
import type { JsonObject, Registration } from '../../../src/domain/registration.ts';
import { isObject } from '../../../src/shared/shapes.ts';

type Tester = Parameters<typeof expect.addEqualityTesters>[0][number];

// Registrations are functions; two are equal if their results are equal.
const haveEqualResults: Tester = function (one, other) {
  return typeof one === 'function' && typeof other === 'function'
    ? this.equals(one(), other())
    : undefined;
};
// The length of a registration depends on how it was read.
const areEqualWithoutLength: Tester = function (one, other) {
  if (!isObject(one) || !isObject(other) || !('characters' in one || 'characters' in other))
    return undefined;
  const withoutLength = [one, other].map(({ characters: _characters, ...answer }) => answer);
  return this.equals(...(withoutLength as [object, object]), [haveEqualResults]);
};
expect.addEqualityTesters([haveEqualResults, areEqualWithoutLength]);

export const alpha = parseDomainName('alpha.example');
export const beta = parseDomainName('beta.example');
export const gamma = parseDomainName('gamma.example');

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

/** Returns the answer as it is read without its registration. */
export function verdictOf({ registration: _registration, ...answer }: StoredAnswer): StoredAnswer {
  return { ...answer, isComplete: false };
}

/** Returns the answer as it is after its record was deleted. */
export function withoutRecord(answer: StoredAnswer): StoredAnswer {
  return answer.registration
    ? { ...answer, registration: () => withoutContacts(answer.name), isComplete: false }
    : answer;
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
