import type { Contact, JsonObject } from '../../domain/registration.ts';
import { readCard } from './jcard.ts';
import { listOf, objectsOf, omitUndefined } from './json.ts';
import { asIdentifier, asLowerCaseText } from './text.ts';

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
