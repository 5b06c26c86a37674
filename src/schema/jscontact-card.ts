import { createHash } from 'node:crypto';
import type { Contact, JsonObject, Phone, PostalAddress } from '../domain/registration.ts';

/**
 * Returns a contact as a card of JSContact 1.0 (RFC 9553), with the names that RFC 9555 gives to the
 * properties of a jCard.
 */
export function cardOf(contact: Contact): JsonObject {
  const { handle = '', kind = '', name, organization, email, phones = [], url, address } = contact;
  const members = {
    ...(kinds.includes(kind) && { kind }),
    ...(name !== undefined && { name: { full: name } }),
    ...(organization !== undefined && { organizations: { org: { name: organization } } }),
    ...(email !== undefined && { emails: { email: { address: email } } }),
    ...(phones.length > 0 && { phones: keyed('phone', phones.map(phoneOf)) }),
    ...(url !== undefined && { links: { url: { uri: url } } }),
    ...(address && { addresses: { address: addressOf(address) } }),
  };
  return { '@type': 'Card', version: '1.0', uid: uidOf(handle, members), ...members };
}

/** RFC 9553 section 2.1.4. */
const kinds = ['individual', 'group', 'org', 'location', 'device', 'application'];

function phoneOf({ number, types }: Phone): JsonObject {
  const features = types.map((type) => [type === 'cell' ? 'mobile' : type, true] as const);
  return { number, ...(features.length > 0 && { features: Object.fromEntries(features) }) };
}

function addressOf({ countryCode, ...address }: PostalAddress): JsonObject {
  const { street, city, region, postalCode, country } = address;
  const components = [
    ...street.map((value) => ({ kind: 'name', value })),
    ...componentOf('locality', city),
    ...componentOf('region', region),
    ...componentOf('postcode', postalCode),
    ...componentOf('country', country),
  ];
  return {
    ...(components.length > 0 && { components }),
    ...(countryCode !== undefined && { countryCode }),
  };
}

function componentOf(kind: string, value: string | undefined): readonly JsonObject[] {
  return value === undefined ? [] : [{ kind, value }];
}

/** Returns a list as a map of ids, with a number from the second on. */
function keyed(id: string, entries: readonly JsonObject[]): JsonObject {
  return Object.fromEntries(entries.map((entry, i) => [i === 0 ? id : `${id}-${i + 1}`, entry]));
}

/** Returns an identifier of the same contact each time, as a UUID of version 8 (RFC 9562). */
function uidOf(handle: string, members: JsonObject): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([handle, members]))
    .digest('hex');
  return `urn:uuid:${digest.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-8$4-$5')}`;
}
