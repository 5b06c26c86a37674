import type {
  Contact,
  Json,
  JsonObject,
  PostalAddress,
  Redaction,
} from '../../domain/registration.ts';
import {
  componentsOf,
  isFax,
  phoneTypesOf,
  textsIn,
  propertiesOf,
  type Property,
} from './jscontact.ts';
import { asObject, maxListLength, objectsOf, omitUndefined } from './json.ts';
import {
  isPlaceholder,
  isPlaceholderEmail,
  isPlaceholderHandle,
  isPlaceholderPhone,
  asText,
} from './text.ts';

/** A parsed contact and the entity that it was read from. */
export interface ContactSource {
  readonly entity: JsonObject;
  readonly contact: Contact;
}

/**
 * Returns the redactions that a server declares (RFC 9537), and undeclared ones that it made by
 * sending placeholders: `withheld` are the names of the replaced values.
 */
export function readRedactions(
  object: JsonObject,
  withheld: readonly string[],
): readonly Redaction[] {
  const declared = objectsOf(object['redacted']).map(redactionOf);
  const declaredNames = new Set(declared.map(({ name }) => normalizeName(name ?? '')));
  const undeclared = [...new Set(withheld)]
    .filter((name) => !declaredNames.has(normalizeName(name)))
    .map(placeholderRedaction);
  return [...declared, ...undeclared].slice(0, maxListLength);
}

function redactionOf(redaction: JsonObject): Redaction {
  return omitUndefined<Redaction>({
    name: labelOf(redaction['name']),
    method: asText(redaction['method']) ?? 'removal', // the default (RFC 9537 section 4.2)
    reason: labelOf(redaction['reason']),
  });
}

function labelOf(json: Json | undefined): string | undefined {
  const label = asObject(json);
  return asText(json) ?? asText(label?.['description']) ?? asText(label?.['type']);
}

function placeholderRedaction(name: string): Redaction {
  return { name, method: 'replacementValue', reason: 'The server sent a placeholder.' };
}

/**
 * Maps variants to one name: `Technical organisation` and `Tech Organization`, `Domain handle` and
 * `Registry Domain ID`.
 */
function normalizeName(name: string): string {
  return name
    .toLowerCase()
    .replace('organisation', 'organization')
    .replace(/^technical\b/, 'tech')
    .replace(/^administrative\b/, 'admin')
    .replace(/\bphone number$/, 'phone')
    .replace(/^(.+) handle$/, 'registry $1 id');
}

/**
 * Returns the gTLD profile's names of the withheld values: `Registrant Name`, `Tech Email`,
 * `Registry Registrant ID`.
 */
export function withheldNames({ entity, contact }: ContactSource): readonly string[] {
  const values = withheldValues({ entity, contact });
  const id = isWithheld(entity['handle']) ? ['ID'] : [];

  return contact.roles
    .map((role) => profileRoles.get(role) ?? role.charAt(0).toUpperCase() + role.slice(1))
    .flatMap((role) => [
      ...id.map(() => `Registry ${role} ID`),
      ...values.map((value) => `${role} ${value}`),
    ]);
}

/** Returns the names of the withheld values of one entity: `Name`, `Email`. */
export function withheldValues({ entity, contact }: ContactSource): readonly string[] {
  return propertiesOf(entity).flatMap((property) => withheldIn(property, contact));
}

const profileRoles = new Map([
  ['technical', 'Tech'],
  ['administrative', 'Admin'],
]);

/**
 * Returns the values that a property replaces by a placeholder, unless another property provides
 * them.
 */
function withheldIn(property: Property, contact: Contact): readonly string[] {
  if (property.name === 'adr') return withheldParts(property, contact.address);
  const value = valueOf(property);
  const isReplaced =
    value && contact[value.member] === undefined && textsIn(property.value).some(value.isWithheld);
  return isReplaced ? [value.name] : [];
}

interface ContactValue {
  readonly name: string;
  readonly member: keyof Contact;
  readonly isWithheld: (text: string) => boolean;
}

function valueOf(property: Property): ContactValue | undefined {
  return property.name === 'tel' && isFax(phoneTypesOf(property))
    ? fax
    : valuesByProperty.get(property.name);
}

const isWithheldEmail = (text: string) => isPlaceholder(text) || isPlaceholderEmail(text);
const isWithheldPhone = (text: string) => isPlaceholder(text) || isPlaceholderPhone(text);
const name: ContactValue = { name: 'Name', member: 'name', isWithheld: isPlaceholder };
const email: ContactValue = { name: 'Email', member: 'email', isWithheld: isWithheldEmail };
const fax: ContactValue = { name: 'Fax', member: 'fax', isWithheld: isWithheldPhone };
const valuesByProperty = new Map<string, ContactValue>([
  ['fn', name],
  ['n', name],
  ['org', { name: 'Organization', member: 'organization', isWithheld: isPlaceholder }],
  ['email', email],
  ['contact-uri', email],
  ['tel', { name: 'Phone', member: 'phone', isWithheld: isWithheldPhone }],
]);

/** The last four parts of an address are not the street, as in `readAddress`. */
function withheldParts(property: Property, address: PostalAddress | undefined): readonly string[] {
  const components = componentsOf(property.value).slice(0, 7);
  const streets = components.length < 4 ? components.length : Math.max(1, components.length - 4);
  return components.flatMap((lines, index) => {
    const part = index < streets ? street : addressParts[index - streets];
    return part && !part.isPresent(address) && lines.some(isPlaceholder) ? [part.name] : [];
  });
}

interface AddressPart {
  readonly name: string;
  readonly isPresent: (address: PostalAddress | undefined) => boolean;
}

const street: AddressPart = {
  name: 'Street',
  isPresent: (address) => (address?.street ?? []).length > 0,
};
const addressParts: readonly AddressPart[] = [
  { name: 'City', isPresent: (address) => address?.city !== undefined },
  { name: 'State/Province', isPresent: (address) => address?.region !== undefined },
  { name: 'Postal Code', isPresent: (address) => address?.postalCode !== undefined },
  {
    name: 'Country',
    isPresent: (address) => (address?.country ?? address?.countryCode) !== undefined,
  },
];

/** Returns whether a handle is only a placeholder. */
export function isWithheld(handle: Json | undefined): boolean {
  return isPlaceholderHandle(asText(handle) ?? '');
}
