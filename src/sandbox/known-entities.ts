import {
  contactCount,
  redactions,
  registrant,
  registrantRedactions,
  registrar,
  technicalContact,
  technicalRedactions,
} from './contacts.ts';
import table from './contacts.json' with { type: 'json' };

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

const { roles: _registrarRole, links: _registrarLinks, ...registrarRow } = registrar;

const rows: readonly EntityRow[] = [
  registrarRow,
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
export function networkContacts() {
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
