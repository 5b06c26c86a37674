import { jcard, type JcardProperty } from './jcard.ts';

// Telephone numbers are from ranges reserved for fiction.

const address: JcardProperty = [
  'adr',
  { cc: 'GB' },
  'text',
  ['', '', '1 Example Street', 'Testbury', 'Exampleshire', 'TE1 1ST', ''],
];

/** The abuse contact of every network and autonomous system. */
export const abuseContact = {
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
export const operationsContact = {
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
export const organizations = [
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
