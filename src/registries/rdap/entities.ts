import type { PublicId, RelatedEntity } from '../../domain/rdap-objects.ts';
import type { Contact, Json, JsonObject, Registrar } from '../../domain/registration.ts';
import type { Registration } from '../../domain/registration.ts';
import { tldTypeOf } from '../../domain/names/tld-sets.ts';
import { readCard } from './jcard.ts';
import { listOf, maxListLength, objectsOf, omitUndefined, readSafely } from './json.ts';
import { isWithheld, readRedactions, withheldNames } from './redactions.ts';
import { asHostName, asIdentifier, asWebUrl, asLowerCaseText, asText } from './text.ts';

/**
 * The fields that are read from the entities of a domain object (RFC 9083 section 5.1). The
 * registrant is one of the contacts.
 */
type Entities = Pick<Registration, 'registrar' | 'registrant' | 'contacts' | 'redacted'>;

/** Reads the registrar, the contacts and the redactions of a domain object. */
export function readEntities(domain: JsonObject): Entities {
  // The entities inside a registrar are its staff, and not contacts of the domain.
  const entities = entitiesIn(domain, (entity) => !isRegistrar(entity));
  const registrar = registrarIn(entities);
  const sources = entities
    .filter((entity) => !isOnlyRegistrar(entity))
    .map((entity) => ({ entity, contact: contactOf(entity) }))
    .filter(({ contact }) => hasContent(contact));
  const domainId = isWithheld(domain['handle']) ? ['Registry Domain ID'] : [];
  // Contacts without an identifier, for example with only a country, are not merged.
  const contacts = mergeRoles(
    sources.map(({ contact }) => contact),
    ({ handle, name, organization, email }) => handle ?? name ?? organization ?? email,
    (contact, roles) => ({ ...contact, roles }),
  );
  return omitUndefined<Entities>({
    registrar: registrar && registrarOf(registrar, domain),
    registrant: contacts.find(({ roles }) => roles.includes('registrant')),
    contacts,
    redacted: readRedactions(domain, [...domainId, ...sources.flatMap(withheldNames)]),
  });
}

/** Returns all entities, outer before inner, with those inside an entity that is `opened`. */
function entitiesIn(
  object: JsonObject,
  opened: (entity: JsonObject) => boolean = () => true,
): readonly JsonObject[] {
  let entities: readonly JsonObject[] = [];
  let level = childrenOf(object);
  for (let depth = 0; depth < maxEntityDepth && level.length > 0; depth++) {
    entities = [...entities, ...level].slice(0, maxListLength);
    level = level.filter(opened).flatMap(childrenOf);
  }
  return entities;
}

/**
 * AFNIC lists former registrars with the status `inactive` before the one that sponsors the
 * registration.
 */
function registrarIn(entities: readonly JsonObject[]): JsonObject | undefined {
  const registrars = entities.filter(isRegistrar);
  return (
    registrars.find((entity) => rolesOf(entity).includes('sponsor')) ??
    registrars.find(
      (entity) =>
        !listOf(entity['status']).some((status) => asLowerCaseText(status) === 'inactive'),
    ) ??
    registrars[0]
  );
}

function registrarOf(entity: JsonObject, domain: JsonObject): Registrar {
  const { name, organization, url } = readCard(entity);
  const handle = asIdentifier(entity['handle']);
  return omitUndefined<Registrar>({
    handle,
    name: name ?? organization ?? nameInAbuseContact(entity) ?? handle,
    ianaId: ianaIdOf(entity) ?? (isHandleIanaId(entity, domain) ? asIanaId(handle) : undefined),
    url: websiteOf(entity) ?? url,
    ...abuseContactOf([...childrenOf(entity), entity, ...childrenOf(domain)]),
  });
}

/** Returns the registrar's name from its abuse contact, unless that is the name of a department. */
function nameInAbuseContact(registrar: JsonObject): string | undefined {
  return childrenOf(registrar)
    .filter(isAbuse)
    .map(readCard)
    .map(({ kind, name, organization }) => organization ?? (kind === 'individual' ? '' : name))
    .find((text) => text && !departments.test(text));
}

const departments = /abuse|contact|customer|department|desk|support|team/i;

/**
 * Returns whether the handle of a registrar is its IANA id: under gTLDs (gTLD response profile,
 * section 2.4), if the server does not send public ids. Other registries have ids of their own.
 */
function isHandleIanaId(registrar: JsonObject, domain: JsonObject): boolean {
  const tld = asHostName(domain['ldhName'])?.split('.').at(-1);
  const hasPublicIds = objectsOf(registrar['publicIds']).length > 0;
  return tld !== undefined && tldTypeOf(tld) === 'gtld' && !hasPublicIds;
}

/**
 * Reads the abuse contact of a registrar's record that lacks the registrar entity. The contact is
 * the registrar's, but its name is not the registrar's name. Undefined without an e-mail address or
 * a telephone number.
 */
export function readAbuseContact(domain: JsonObject): Registrar | undefined {
  const abuseEntities = childrenOf(domain).filter(
    (entity) => isAbuse(entity) && !rolesOf(entity).includes('registrant'),
  );
  const contact = abuseContactOf(abuseEntities);
  return (
    contact &&
    omitUndefined<Registrar>({
      ianaId: abuseEntities.map(ianaIdOf).find((id) => id !== undefined),
      ...contact,
    })
  );
}

function abuseContactOf(
  entities: readonly JsonObject[],
): Pick<Registrar, 'abuseEmail' | 'abusePhone'> | undefined {
  const found = entities
    .filter(isAbuse)
    .map(readCard)
    .find(({ email, phone }) => email ?? phone);
  return (
    found &&
    omitUndefined<Pick<Registrar, 'abuseEmail' | 'abusePhone'>>({
      abuseEmail: found.email,
      abusePhone: found.phone,
    })
  );
}

function ianaIdOf(entity: JsonObject): string | undefined {
  // Namecheap sends the registrar's name as the type.
  const name = isRegistrar(entity) ? readCard(entity).name?.toLowerCase() : undefined;
  const isType = (type = '') => /\biana\b/.test(type) || type === name;
  const id = objectsOf(entity['publicIds']).find(({ type }) => isType(asLowerCaseText(type)));
  return asIanaId(asIdentifier(id?.['identifier']));
}

/** Accepts a number, but not the `0000` of registries whose registrars need no accreditation. */
function asIanaId(text: string | undefined): string | undefined {
  return text && /^0*[1-9]\d{0,6}$/.test(text) ? text.replace(/^0+/, '') : undefined;
}

/**
 * Returns the `about` link, which is the registrar's website by the gTLD profile. Some registries
 * put an RDAP URL there; the media types are wrong in both cases, so they cannot tell them apart.
 */
function websiteOf(entity: JsonObject): string | undefined {
  return objectsOf(entity['links'])
    .filter(({ rel }) => /^(?:about|related|alternate)$/.test(asLowerCaseText(rel) ?? ''))
    .map(({ href }) => asWebUrl(href))
    .find((url) => url !== undefined && !/\brdap/i.test(url));
}

/** Returns whether a contact has a role or another member. */
function hasContent(contact: Contact): boolean {
  return contact.roles.length > 0 || Object.keys(contact).length > 1;
}

/**
 * Merges entries that are listed once per role, if they have an identifier and all other fields are
 * equal: a registry may redact one handle differently for each role, and a value withheld in one
 * must not reappear from another.
 */
function mergeRoles<Entry extends { readonly roles: readonly string[] }>(
  entries: readonly Entry[],
  identifierOf: (entry: Entry) => string | undefined,
  withRoles: (entry: Entry, roles: readonly string[]) => Entry,
): readonly Entry[] {
  const merged = new Map<unknown, Entry>();
  for (const entry of entries) {
    const isMergeable = identifierOf(entry) !== undefined;
    const identity = isMergeable ? JSON.stringify(withRoles(entry, [])) : entry;
    const roles = new Set([...(merged.get(identity)?.roles ?? []), ...entry.roles]);
    merged.set(identity, withRoles(entry, [...roles]));
  }
  return [...merged.values()];
}

function isRegistrar(entity: JsonObject): boolean {
  return rolesOf(entity).includes('registrar');
}

function isAbuse(entity: JsonObject): boolean {
  return rolesOf(entity).includes('abuse');
}

function isOnlyRegistrar(entity: JsonObject): boolean {
  const roles = rolesOf(entity);
  return isRegistrar(entity) && roles.every((role) => /^(?:registrar|sponsor|abuse)$/.test(role));
}

/**
 * Parses the entities of an object of any class (RFC 9083 section 5.1). Never throws; calls
 * `onParserError` with errors, which are bugs in this parser.
 */
export function parseRelatedEntities(
  object: JsonObject,
  onParserError?: (error: unknown) => void,
): readonly RelatedEntity[] {
  return readSafely(readRelated, object, onParserError);
}

const readRelated = (object: JsonObject) => relatedEntitiesOf(object, contactsIn(object));

/** The contact of each entity that is read. */
type ContactsByEntity = ReadonlyMap<JsonObject, Contact>;

/** Reads the contacts of all entities in an object, outer before inner. */
export function contactsIn(object: JsonObject): ContactsByEntity {
  return new Map(entitiesIn(object).map((entity) => [entity, contactOf(entity)]));
}

/** Returns the entities of an object that are in `contacts`, as a tree. */
export function relatedEntitiesOf(
  object: JsonObject,
  contacts: ContactsByEntity,
): readonly RelatedEntity[] {
  const entities = childrenOf(object).flatMap((entity) => {
    const contact = contacts.get(entity);
    return contact
      ? omitUndefined<RelatedEntity>({
          handle: contact.handle,
          roles: contact.roles,
          contact,
          publicIds: readPublicIds(entity['publicIds']),
          entities: relatedEntitiesOf(entity, contacts),
        })
      : [];
  });
  return mergeRoles(
    entities.filter((entity) => !isEmpty(entity)),
    ({ handle }) => handle,
    (entity, roles) => ({ ...entity, roles, contact: { ...entity.contact, roles } }),
  );
}

/** Reads public ids (RFC 9083 section 4.8). Omits incomplete ones. */
export function readPublicIds(json: Json | undefined): readonly PublicId[] {
  return objectsOf(json).flatMap((id) => {
    const type = asText(id['type']);
    const identifier = asIdentifier(id['identifier']);
    return type && identifier ? { type, identifier } : [];
  });
}

function isEmpty({ contact, publicIds, entities }: RelatedEntity): boolean {
  return !hasContent(contact) && publicIds.length === 0 && entities.length === 0;
}

/** How deep entities may nest. A reseller inside a registrant is one level; no registry uses three. */
const maxEntityDepth = 4;

/** Returns the distinct roles of an entity (RFC 9083 section 10.2.4). */
function rolesOf(entity: JsonObject): readonly string[] {
  return [
    ...new Set(
      listOf(entity['roles'] ?? entity['role']).flatMap((role) => asLowerCaseText(role) ?? []),
    ),
  ];
}

/** Returns the entities of an object. */
function childrenOf(object: JsonObject): readonly JsonObject[] {
  return objectsOf(object['entities'] ?? object['entity']);
}

/** Reads the roles, the handle and the contact of an entity. */
export function contactOf(entity: JsonObject): Contact {
  return omitUndefined<Contact>({
    roles: rolesOf(entity),
    handle: asIdentifier(entity['handle']),
    ...readCard(entity),
  });
}
