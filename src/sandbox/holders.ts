import { redactions } from './contacts.ts';
import { entityRow, networkContacts } from './known-entities.ts';

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
