import type { Entity } from '../../domain/rdap-objects.ts';
import type { JsonObject } from '../../domain/registration.ts';
import { readAutnum } from './autnum.ts';
import { contactOf } from './entity-members.ts';
import { readEvents } from './events.ts';
import { readIpNetwork } from './ip-network.ts';
import { objectsOf } from './json.ts';
import { emptyMembers, readMembers } from './object-members.ts';
import { readSafely } from './read-safely.ts';
import { withheldValues } from './redactions.ts';
import { readPublicIds } from './related-entities.ts';

/**
 * Parses an "entity" object (RFC 9083 section 5.1). Invalid values are omitted, but remain in `raw`.
 * Never throws; calls `onParserError` with errors, which are bugs in this parser.
 */
export function parseEntity(object: JsonObject, onParserError?: (error: unknown) => void): Entity {
  return readSafely(readEntity, object, emptyEntity(object), onParserError);
}

function readEntity(object: JsonObject): Entity {
  const contact = contactOf(object);
  return {
    ...readMembers(object, withheldValues({ entity: object, contact })),
    roles: contact.roles,
    contact,
    publicIds: readPublicIds(object['publicIds']),
    networks: objectsOf(object['networks']).map(readIpNetwork),
    autnums: objectsOf(object['autnums']).map(readAutnum),
    asEventActor: readEvents(object['asEventActor']),
  };
}

function emptyEntity(raw: JsonObject): Entity {
  return {
    ...emptyMembers(raw),
    roles: [],
    contact: { roles: [] },
    publicIds: [],
    networks: [],
    autnums: [],
    asEventActor: [],
  };
}
