import { createHash } from 'node:crypto';
import type { Contact, Phone, PostalAddress } from '../domain/registration.ts';

/**
 * Returns a contact as a card of JSContact 1.0 (RFC 9553), with the names that RFC 9555 gives to the
 * properties of a jCard. Members that are undefined are not in the response.
 */
export function cardOf(contact: Contact): object {
  const { handle, kind = '', name, organization, email, phones, url, address } = contact;
  const members = {
    kind: kinds.includes(kind) ? kind : undefined,
    name: name && { full: name },
    organizations: organization && { org: { name: organization } },
    emails: email && { email: { address: email } },
    phones: phones && Object.fromEntries(phones.map(phoneEntry)),
    links: url && { url: { uri: url } },
    addresses: address && { address: addressOf(address) },
  };

  return { '@type': 'Card', version: '1.0', uid: uidOf([handle, members]), ...members };
}

/** RFC 9553 section 2.1.4. */
const kinds = ['individual', 'group', 'org', 'location', 'device', 'application'];

function phoneEntry({ number, types }: Phone, index: number) {
  const features = types.map((type) => [type === 'cell' ? 'mobile' : type, true] as const);
  const phone = {
    number,
    features: types.length > 0 ? Object.fromEntries(features) : undefined,
  };
  return [index === 0 ? 'phone' : `phone-${index + 1}`, phone] as const;
}

function addressOf({ street, city, region, postalCode, country, countryCode }: PostalAddress) {
  const parts = { locality: city, region, postcode: postalCode, country };
  const components = [
    ...street.map((value) => ({ kind: 'name', value })),
    ...Object.entries(parts).flatMap(([kind, value]) => (value ? { kind, value } : [])),
  ];
  return { components: components.length > 0 ? components : undefined, countryCode };
}

/** Returns the same identifier for the same contact, as a UUID of version 8 (RFC 9562). */
function uidOf(contact: unknown): string {
  const digest = createHash('sha256').update(JSON.stringify(contact)).digest('hex');
  const groups = /^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/;
  return `urn:uuid:${digest.replace(groups, '$1-$2-8$3-8$4-$5')}`;
}
