import {
  contactCount,
  registrant,
  registrantRedactions,
  registrar,
  technicalContact,
  technicalRedactions,
  jcard,
  type Jcard,
  type JcardProperty,
} from './contacts.ts';

// Telephone numbers are from ranges reserved for fiction.

const address: JcardProperty = [
  'adr',
  { cc: 'GB' },
  'text',
  ['', '', '1 Example Street', 'Testbury', 'Exampleshire', 'TE1 1ST', ''],
];

/** The abuse contact of every network and autonomous system. */
const abuseContact = {
  objectClassName: 'entity',
  handle: 'NETWORKS-ABUSE-SANDBOX',
  vcardArray: jcard(
    ['fn', {}, 'text', 'Network Abuse Desk'],
    ['kind', {}, 'text', 'group'],
    ['tel', { type: 'voice' }, 'uri', 'tel:+44.1632960199'],
    ['email', {}, 'text', 'abuse@networks.example'],
  ),
};

/** The technical contact of every network and autonomous system. */
const operationsContact = {
  objectClassName: 'entity',
  handle: 'NETWORKS-TECH-SANDBOX',
  vcardArray: jcard(
    ['fn', {}, 'text', 'Network Operations'],
    ['kind', {}, 'text', 'group'],
    address,
    ['tel', { type: 'voice' }, 'uri', 'tel:+44.1632960150'],
    ['email', {}, 'text', 'noc@networks.example'],
  ),
};

/** The organizations that hold networks and autonomous systems, by handle. */
const organizations = [
  organization('NETWORKS-SANDBOX', 'Sandbox Networks Ltd', 'info@networks.example'),
  organization('EXAMPLE-DNS-SANDBOX', 'Example DNS Ltd', 'info@example-dns.test'),
];

function organization(handle: string, name: string, email: string) {
  return {
    objectClassName: 'entity',
    handle,
    vcardArray: jcard(['fn', {}, 'text', name], ['kind', {}, 'text', 'org'], address, [
      'email',
      {},
      'text',
      email,
    ]),
  };
}

/** An entity without roles, which depend on the object that contains it. */
export interface EntityRow {
  readonly objectClassName: string;
  readonly handle: string;
  readonly vcardArray: Jcard;
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
