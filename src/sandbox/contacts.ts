import table from './contacts.json' with { type: 'json' };

/** A property of a jCard (RFC 7095 section 3.3). */
type JcardProperty = readonly [
  name: string,
  parameters: Readonly<Record<string, string | string[]>>,
  type: string,
  value: unknown,
];

/** Returns a jCard (RFC 7095) with these properties. */
function jcard(...properties: JcardProperty[]): ['vcard', JcardProperty[]] {
  return ['vcard', [['version', {}, 'text', '4.0'], ...properties]];
}

/** All are fictitious. Telephone numbers are from ranges reserved for fiction. */
const { people } = table;
type Person = (typeof people)[number];

/** Returns the postal address with this street, which may be empty. */
function addressOf(
  { city, region, postalCode, countryCode }: Person,
  street: string,
): JcardProperty {
  return ['adr', { cc: countryCode }, 'text', ['', '', street, city, region, postalCode, '']];
}

/** Returns the person with this number. */
function personOf(number: number): Person {
  const person = people[number % people.length];
  if (!person) throw new Error('the sandbox has no people');
  return person;
}

/** The registrar of the names of the sandbox. */
export const { registrar } = table;

/** The registrar to which the names that change are transferred each other minute. */
export const otherRegistrar = {
  ...registrar,
  handle: '9998-SANDBOX',
  publicIds: [{ type: 'IANA Registrar ID', identifier: '9998' }],
  vcardArray: jcard(['fn', {}, 'text', 'Other Sandbox Registrar Ltd']),
};

/**
 * Number of registrants and of technical contacts. It is a multiple of the number of people, so that
 * the number in a handle identifies the person.
 */
export const contactCount = people.length * 33_333;

/**
 * Returns the registrant, without the street, telephone number and email address listed in
 * `redactions`.
 */
export function registrant(seed: number) {
  const person = personOf(seed);
  return {
    objectClassName: 'entity',
    handle: `R-${seed % contactCount}-SANDBOX`,
    roles: ['registrant'],
    vcardArray: jcard(
      ['fn', {}, 'text', person.name],
      ['kind', {}, 'text', 'individual'],
      ['org', {}, 'text', person.organization],
      addressOf(person, ''),
    ),
  };
}

/** Returns the technical contact, without the email address if there is none. */
export function technicalContact(seed: number, email?: string) {
  const person = personOf(seed + 1);
  return {
    objectClassName: 'entity',
    handle: `T-${seed % contactCount}-SANDBOX`,
    roles: ['technical'],
    vcardArray: jcard(
      ['fn', {}, 'text', person.name],
      ['kind', {}, 'text', 'individual'],
      ['org', {}, 'text', person.organization],
      addressOf(person, '1 Example Street'),
      ['tel', { type: 'voice' }, 'uri', `tel:${person.phone}`],
      ...(email === undefined ? [] : [['email', {}, 'text', email] as const]),
    ),
  };
}

/** What `registrant` omits from a domain or network object, and why (RFC 9537). */
export const redactions = registrantRedactions(
  "$.entities[?(@.roles[0]=='registrant')].vcardArray[1]",
);

/** Returns the redactions of a registrant whose jCard is at `path`. */
export function registrantRedactions(path: string) {
  return [
    redaction('Registrant Street', 'emptyValue', { postPath: `${path}[?(@[0]=='adr')][3][:3]` }),
    redaction('Registrant Phone', 'removal', { prePath: `${path}[?(@[1].type=='voice')]` }),
    redaction('Registrant Email', 'removal', { prePath: `${path}[?(@[0]=='email')]` }),
  ];
}

/** What `technicalContact` omits without an email address. The path is that of an entity object. */
export const technicalRedactions = [
  redaction('Tech Email', 'removal', { prePath: "$.vcardArray[1][?(@[0]=='email')]" }),
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

/** The contacts of every network and autonomous system, and the organizations that hold them. */
const { abuseContact, operationsContact, organizations } = table;

/** An entity without roles, which depend on the object that contains it. */
export interface EntityRow {
  readonly objectClassName: string;
  readonly handle: string;
  readonly vcardArray: readonly unknown[];
  readonly publicIds?: readonly object[];
  readonly entities?: readonly object[];
  readonly redacted?: readonly object[];
}

const registrarRows = [registrar, otherRegistrar].map(
  ({ roles: _role, links: _links, ...row }) => row,
);

const rows: readonly EntityRow[] = [
  ...registrarRows,
  ...registrar.entities.map(({ roles: _role, ...contact }) => contact),
  ...organizations.map((holder) => ({ ...holder, entities: networkContacts() })),
  abuseContact,
  operationsContact,
];

/** Returns the entity with an upper-case handle; undefined if there is none. */
export function entityRow(handle: string): EntityRow | undefined {
  return rows.find((row) => row.handle === handle) ?? numberedContact(handle);
}

/** Returns the abuse and technical contacts of networks, as contained in other objects. */
function networkContacts() {
  return [
    { ...abuseContact, roles: ['abuse'] },
    { ...operationsContact, roles: ['technical'] },
  ];
}

/** Returns the registrant or the technical contact of domains whose handle has this number. */
function numberedContact(handle: string): EntityRow | undefined {
  const [, kind, digits] = /^([RT])-(0|[1-9]\d{0,4})-SANDBOX$/.exec(handle) ?? [];
  const number = Number(digits);
  if (digits === undefined || number >= contactCount) return undefined;
  if (kind === 'R') {
    const { roles: _role, ...contact } = registrant(number);
    return { ...contact, redacted: registrantRedactions('$.vcardArray[1]') };
  }
  const { roles: _role, ...contact } = technicalContact(number);
  return { ...contact, redacted: technicalRedactions };
}

/**
 * Returns the entities of a network or an autonomous system: its holder, and the contacts of the
 * operator. A person who holds it is redacted (RFC 9537).
 */
export function holderMembers(handle: string) {
  const row = entityRow(handle);
  if (!row) throw new Error(`The holder ${handle} is unknown.`);
  const { objectClassName, vcardArray, redacted } = row;
  return {
    entities: [
      { objectClassName, handle, roles: ['registrant'], vcardArray },
      ...networkContacts(),
    ],
    ...(redacted && { redacted: redactions }),
  };
}
