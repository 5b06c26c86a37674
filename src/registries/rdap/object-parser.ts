import type { ObjectData, ObjectParser } from '../../domain/directory.ts';
import type { ObjectType } from '../../domain/object-ref.ts';
import type { JsonObject, Json } from '../../domain/registration.ts';
import { parseAutnum, readAutnum, autnumOf } from './autnum.ts';
import { parseRelatedEntities, readPublicIds } from './related-entities.ts';
import type { Entity, NameserverObject, IpNetwork, IpVersion } from '../../domain/rdap-objects.ts';
import { contactOf } from './entity-members.ts';
import { readEvents } from './events.ts';
import { objectsOf, omitUndefined, listOf, readSafely } from './json.ts';
import { emptyMembers, readMembers } from './object-members.ts';
import { withheldValues } from './redactions.ts';
import { readNameservers } from './nameservers.ts';
import {
  asHostName,
  asCountryCode,
  asIdentifier,
  asLowerCaseText,
  asMeaningfulText,
  asText,
} from './text.ts';
import { formatIpNetwork, parseIpNetwork as parseCidr } from '../../domain/ip-network.ts';
import { addressOf, cidrsOf, formatCidr, rangeOf } from './address-range.ts';

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

/**
 * Parses an "ip network" object (RFC 9083 section 5.4). Invalid values are omitted, but remain in
 * `raw`. Never throws; calls `onParserError` with errors, which are bugs in this parser.
 */
export function parseIpNetwork(
  object: JsonObject,
  onParserError?: (error: unknown) => void,
): IpNetwork {
  const empty = { ...emptyMembers(object), cidrs: [], originAutnums: [] };
  return readSafely(readIpNetwork, object, empty, onParserError);
}

/** Reads a network, which may be part of an entity. */
function readIpNetwork(object: JsonObject): IpNetwork {
  const start = addressOf(object['startAddress']);
  const end = addressOf(object['endAddress']);
  const members = readMembers(object);
  return omitUndefined<IpNetwork>({
    ...members,
    geofeed: members.links.find(({ rel }) => rel === 'geofeed')?.href,
    startAddress: start && formatIpNetwork(start),
    endAddress: end && formatIpNetwork(end),
    cidrs: cidrsIn(object),
    ipVersion: start ? `v${start.version}` : versionOf(object['ipVersion']),
    name: asMeaningfulText(object['name']),
    type: asMeaningfulText(object['type']),
    country: asCountryCode(object['country']),
    parentHandle: asIdentifier(object['parentHandle']),
    originAutnums: originAutnumsOf(object['arin_originas0_originautnums']),
  });
}

/** Returns the networks of the extension `cidr0`; if any is invalid, those of the range. */
function cidrsIn(object: JsonObject): readonly string[] {
  const sent = objectsOf(object['cidr0_cidrs']);
  const cidrs = sent.flatMap((cidr) => cidr0Of(cidr) ?? []);
  const range = rangeOf(object);
  return range && (cidrs.length === 0 || cidrs.length < sent.length) ? cidrsOf(range) : cidrs;
}

function cidr0Of(cidr: JsonObject): string | undefined {
  const prefix = addressOf(cidr['v4prefix'] ?? cidr['v6prefix']);
  const length = typeof cidr['length'] === 'number' ? cidr['length'] : asText(cidr['length']);
  const network = prefix && parseCidr(`${formatIpNetwork(prefix)}/${length}`);
  return network && formatCidr(network.version, network.first, network.length);
}

function versionOf(json: Json | undefined): IpVersion | undefined {
  const version = asLowerCaseText(json);
  return version === 'v4' || version === 'v6' ? version : undefined;
}

function originAutnumsOf(json: Json | undefined): readonly number[] {
  return [...new Set(listOf(json).flatMap((number) => autnumOf(number) ?? []))];
}
