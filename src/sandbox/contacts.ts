import { filled } from '../shared/template.ts';
import table from './contacts.json' with { type: 'json' };

/** All are fictitious. Telephone numbers are from ranges reserved for fiction. */
const { people, registrar, organizations, abuseContact, operationsContact } = table;

/** An entity, whose roles depend on the object that contains it. */
export interface EntityRow {
  readonly objectClassName: string;
  readonly handle: string;
  readonly vcardArray: readonly unknown[];
  readonly publicIds?: readonly object[];
  readonly entities?: readonly object[];
  readonly redacted?: readonly object[];
}

/** The registrar of the names of the sandbox. */
export { registrar };

/** The registrar to which the names that change are transferred each other minute. */
export const otherRegistrar = { ...registrar, ...table.otherRegistrar };

/**
 * Number of registrants and of technical contacts. It is a multiple of the number of people, so that
 * the number in a handle identifies the person.
 */
const contactCount = people.length * 33_333;

/** Returns the registrant with a number, with what it omits in `redacted` (RFC 9537). */
export function registrant(number: number, values: object = {}): EntityRow {
  const person = people[number % people.length];
  return filled(table.registrant, { ...person, number: number % contactCount, ...values });
}

/** Returns the technical contact with a number, without an e-mail address unless there is one. */
export function technicalContact(number: number, values: object): EntityRow {
  const person = people[(number + 1) % people.length];
  return filled(table.technical, { ...person, number: number % contactCount, ...values });
}

/** What a registrant omits from a domain or network object, and why (RFC 9537). */
export const redactions = redactionsAt(
  'registrant',
  "$.entities[?(@.roles[0]=='registrant')].vcardArray[1]",
);

/** Returns the redactions of a contact whose jCard is at `path`. */
function redactionsAt(kind: keyof typeof table.redactions, path: string): readonly object[] {
  return filled(table.redactions[kind], { path });
}

const rows: readonly EntityRow[] = [
  ...[registrar, otherRegistrar].map(({ roles: _role, links: _links, ...row }) => row),
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

  const path = '$.vcardArray[1]';
  return kind === 'R'
    ? registrant(number, { redacted: redactionsAt('registrant', path) })
    : technicalContact(number, { redacted: redactionsAt('technical', path) });
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
