// All people are fictitious. Telephone numbers are from ranges reserved for fiction.

type JcardProperty = readonly [
  name: string,
  parameters: Readonly<Record<string, string | string[]>>,
  type: string,
  value: unknown,
];

interface Person {
  readonly name: string;
  readonly organization: string;
  readonly phone: string;
  readonly city: string;
  readonly region: string;
  readonly postalCode: string;
  readonly countryCode: string;
}

const people: readonly [Person, ...Person[]] = [
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

/** The registrar of every sandbox name. */
export const registrar = {
  objectClassName: 'entity',
  handle: '9999',
  roles: ['registrar'],
  publicIds: [{ type: 'IANA Registrar ID', identifier: '9999' }],
  vcardArray: jcard(
    ['fn', {}, 'text', 'Sandbox Registrar Ltd'],
    ['url', {}, 'uri', 'https://registrar.example/'],
  ),
  links: [
    {
      value: 'https://registrar.example/',
      rel: 'about',
      href: 'https://registrar.example/',
      type: 'text/html',
    },
  ],
  entities: [
    {
      objectClassName: 'entity',
      handle: '9999-ABUSE',
      roles: ['abuse'],
      vcardArray: jcard(
        ['fn', {}, 'text', 'Abuse Desk'],
        ['tel', { type: 'voice' }, 'uri', 'tel:+1.2025550199'],
        ['email', {}, 'text', 'abuse@registrar.example'],
      ),
    },
  ],
};

/**
 * Returns the registrant, without the street, telephone number and email address listed in
 * `redactions`.
 */
export function registrant(seed: number) {
  const person = personOf(seed);
  return {
    objectClassName: 'entity',
    handle: `SBX-R-${seed % 100_000}`,
    roles: ['registrant'],
    vcardArray: jcard(
      ['fn', {}, 'text', person.name],
      ['kind', {}, 'text', 'individual'],
      ['org', {}, 'text', person.organization],
      address(person, ''),
    ),
  };
}

/** Returns the technical contact, without redactions. */
export function technicalContact(seed: number, name: string) {
  const person = personOf(seed + 1);
  return {
    objectClassName: 'entity',
    handle: `SBX-T-${seed % 100_000}`,
    roles: ['technical'],
    vcardArray: jcard(
      ['fn', {}, 'text', person.name],
      ['kind', {}, 'text', 'individual'],
      ['org', {}, 'text', person.organization],
      address(person, '1 Example Street'),
      ['tel', { type: 'voice' }, 'uri', `tel:${person.phone}`],
      ['email', {}, 'text', `hostmaster@${name}`],
    ),
  };
}

/** What `registrant` omits, and why (RFC 9537). */
export const redactions = [
  redaction('Registrant Street', 'emptyValue', {
    postPath: `${registrantPath()}[?(@[0]=='adr')][3][:3]`,
  }),
  redaction('Registrant Phone', 'removal', {
    prePath: `${registrantPath()}[?(@[1].type=='voice')]`,
  }),
  redaction('Registrant Email', 'removal', { prePath: `${registrantPath()}[?(@[0]=='email')]` }),
];

function redaction(
  description: string,
  method: string,
  path: { prePath: string } | { postPath: string },
) {
  return {
    name: { description },
    ...path,
    pathLang: 'jsonpath',
    method,
    reason: { description: 'Server policy' },
  };
}

function registrantPath(): string {
  return "$.entities[?(@.roles[0]=='registrant')].vcardArray[1]";
}

function address({ city, region, postalCode, countryCode }: Person, street: string): JcardProperty {
  return ['adr', { cc: countryCode }, 'text', ['', '', street, city, region, postalCode, '']];
}

function jcard(...properties: JcardProperty[]): ['vcard', JcardProperty[]] {
  return ['vcard', [['version', {}, 'text', '4.0'], ...properties]];
}

function personOf(seed: number): Person {
  return people[seed % people.length] ?? people[0];
}
