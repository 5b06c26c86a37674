import type { JcardProperty } from './jcard.ts';

// All people are fictitious. Telephone numbers are from ranges reserved for fiction.

/** A fictitious person. */
export interface Person {
  readonly name: string;
  readonly organization: string;
  readonly phone: string;
  readonly city: string;
  readonly region: string;
  readonly postalCode: string;
  readonly countryCode: string;
}

export const people: readonly [Person, ...Person[]] = [
  {
    name: 'Ada Sample',
    organization: 'Sample Looms Ltd',
    phone: '+44.1632960101',
    city: 'Testbury',
    region: 'Exampleshire',
    postalCode: 'TE1 1ST',
    countryCode: 'GB',
  },
  {
    name: 'Grace Placeholder',
    organization: 'Placeholder Compilers Inc.',
    phone: '+1.2025550142',
    city: 'Exampleville',
    region: 'EX',
    postalCode: '00000',
    countryCode: 'US',
  },
  {
    name: 'Linus Beispiel',
    organization: 'Beispiel Kerne Pty Ltd',
    phone: '+61.255501234',
    city: 'Sandbox Bay',
    region: 'SBX',
    postalCode: '0000',
    countryCode: 'AU',
  },
];

/** Returns the postal address with this street, which may be empty. */
export function addressOf(
  { city, region, postalCode, countryCode }: Person,
  street: string,
): JcardProperty {
  return ['adr', { cc: countryCode }, 'text', ['', '', street, city, region, postalCode, '']];
}

/** Returns the person with this number. */
export function personOf(number: number): Person {
  return people[number % people.length] ?? people[0];
}
