import type { ObjectData, ObjectParser } from '../../domain/object-directory.ts';
import type { ObjectType } from '../../domain/object-ref.ts';
import type { JsonObject } from '../../domain/registration.ts';
import { parseAutnum, readAutnum } from './autnum.ts';
import { parseIpNetwork, readIpNetwork } from './ip-network.ts';
import { parseRelatedEntities, readPublicIds } from './related-entities.ts';
import type { Entity, NameserverObject } from '../../domain/rdap-objects.ts';
import { contactOf } from './entity-members.ts';
import { readEvents } from './events.ts';
import { objectsOf, omitUndefined } from './json.ts';
import { emptyMembers, readMembers } from './object-members.ts';
import { readSafely } from './read-safely.ts';
import { withheldValues } from './redactions.ts';
import { readNameservers } from './nameservers.ts';
import { asHostName } from './text.ts';

type Parsers = {
  readonly [T in ObjectType]: (
    object: JsonObject,
    onParserError: (error: unknown) => void,
  ) => ObjectData[T];
};

const parsers: Parsers = {
  ip: parseIpNetwork,
  autnum: parseAutnum,
  entity: parseEntity,
  nameserver: parseNameserverObject,
};

/** Returns a parser. It calls `onParserError` with errors, which are bugs in it. */
export function objectParser(onParserError: (error: unknown) => void): ObjectParser {
  return {
    parse: (type, object) => parsers[type](object, onParserError),
    entitiesIn: (object) => parseRelatedEntities(object, onParserError),
  };
}

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

/**
 * Parses a "nameserver" object (RFC 9083 section 5.2). Invalid values are omitted, but remain in
 * `raw`. Never throws; calls `onParserError` with errors, which are bugs in this parser.
 */
export function parseNameserverObject(
  object: JsonObject,
  onParserError?: (error: unknown) => void,
): NameserverObject {
  const empty = { ...emptyMembers(object), ipv4: [], ipv6: [] };
  return readSafely(readNameserver, object, empty, onParserError);
}

function readNameserver(object: JsonObject): NameserverObject {
  const [host] = readNameservers([object]);
  return omitUndefined<NameserverObject>({
    ...readMembers(object),
    ldhName: host?.name,
    unicodeName: asHostName(object['unicodeName']),
    ipv4: host?.ipv4 ?? [],
    ipv6: host?.ipv6 ?? [],
  });
}
