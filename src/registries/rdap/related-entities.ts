import type { PublicId, RelatedEntity } from '../../domain/rdap-objects.ts';
import type { Contact, Json, JsonObject } from '../../domain/registration.ts';
import { readCard } from './jcard.ts';
import { maxListLength, objectsOf, omitUndefined, readSafely, listOf } from './json.ts';
import { asIdentifier, asText, asLowerCaseText } from './text.ts';

/**
 * Parses the entities of an object of any class (RFC 9083 section 5.1). Never throws; calls
 * `onParserError` with errors, which are bugs in this parser.
 */
export function parseRelatedEntities(
  object: JsonObject,
  onParserError?: (error: unknown) => void,
): readonly RelatedEntity[] {
  const read = () => relatedEntitiesOf(object, contactsIn(object));
  return readSafely(read, object, [], onParserError);
}

/** The contact of each entity that is read. */
export type ContactsByEntity = ReadonlyMap<JsonObject, Contact>;

/** Reads the contacts of all entities in an object, outer before inner. */
export function contactsIn(object: JsonObject): ContactsByEntity {
  const contacts = new Map<JsonObject, Contact>();
  let level = childrenOf(object);
  for (let depth = 0; depth < maxEntityDepth && level.length > 0; depth++) {
    for (const entity of level.slice(0, maxListLength - contacts.size))
      contacts.set(entity, contactOf(entity));
    level = level.flatMap(childrenOf);
  }
  return contacts;
}

/** Returns the entities of an object that are in `contacts`, as a tree. */
export function relatedEntitiesOf(
  object: JsonObject,
  contacts: ContactsByEntity,
): readonly RelatedEntity[] {
  const entities = childrenOf(object).flatMap((entity) => {
    const contact = contacts.get(entity);
    return contact ? relatedEntityOf(entity, contact, contacts) : [];
  });
  return mergeRoles(entities.filter((entity) => !isEmpty(entity)));
}

/** Reads public ids (RFC 9083 section 4.8). Omits incomplete ones. */
export function readPublicIds(json: Json | undefined): readonly PublicId[] {
  return objectsOf(json).flatMap((id) => {
    const type = asText(id['type']);
    const identifier = asIdentifier(id['identifier']);
    return type && identifier ? { type, identifier } : [];
  });
}

function relatedEntityOf(
  entity: JsonObject,
  contact: Contact,
  contacts: ContactsByEntity,
): RelatedEntity {
  return omitUndefined<RelatedEntity>({
    handle: contact.handle,
    roles: contact.roles,
    contact,
    publicIds: readPublicIds(entity['publicIds']),
    entities: relatedEntitiesOf(entity, contacts),
  });
}

function isEmpty({ contact, publicIds, entities }: RelatedEntity): boolean {
  const hasContact = contact.roles.length > 0 || Object.keys(contact).length > 1;
  return !hasContact && publicIds.length === 0 && entities.length === 0;
}

/** Merges entities that are listed once per role, if they have a handle and are otherwise equal. */
function mergeRoles(entities: readonly RelatedEntity[]): readonly RelatedEntity[] {
  const merged = new Map<unknown, RelatedEntity>();
  for (const entity of entities) {
    const identity = entity.handle === undefined ? entity : identityOf(entity);
    const roles = [...new Set([...(merged.get(identity)?.roles ?? []), ...entity.roles])];
    merged.set(identity, { ...entity, roles, contact: { ...entity.contact, roles } });
  }
  return [...merged.values()];
}

function identityOf(entity: RelatedEntity): string {
  return JSON.stringify({ ...entity, roles: [], contact: { ...entity.contact, roles: [] } });
}

/** How deep entities may nest. A reseller inside a registrant is one level; no registry uses three. */
export const maxEntityDepth = 4;

/** Returns the distinct roles of an entity (RFC 9083 section 10.2.4). */
export function rolesOf(entity: JsonObject): readonly string[] {
  return [
    ...new Set(
      listOf(entity['roles'] ?? entity['role']).flatMap((role) => asLowerCaseText(role) ?? []),
    ),
  ];
}

/** Returns the entities of an object. */
export function childrenOf(object: JsonObject): readonly JsonObject[] {
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
