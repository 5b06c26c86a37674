import type { ObjectData, ObjectParser } from '../../domain/directory.ts';
import { formatIpBlock, parseIpBlock } from '../../domain/names/ip-address.ts';
import { maxAutnum, type ObjectType } from '../../domain/object-ref.ts';
import type {
  Entity,
  NameserverObject,
  IpNetwork,
  IpVersion,
  Link,
  RdapObject,
  Remark,
  Autnum,
  ReverseZone,
} from '../../domain/rdap-objects.ts';
import type { JsonObject, Json } from '../../domain/registration.ts';
import { addressOf, cidrsOf, formatCidr, rangeOf } from './address-ranges.ts';
import { dnssecOf } from './dnssec.ts';
import { linesIn } from './jscontact.ts';
import { asObject, objectsOf, omitUndefined, listOf, readSafely } from './json.ts';
import { withheldValues, isWithheld, readRedactions, withheldNames } from './redactions.ts';
import { readNameservers, readStatuses } from './registration.ts';
import {
  contactOf,
  parseRelatedEntities,
  readPublicIds,
  contactsIn,
  relatedEntitiesOf,
} from './entities.ts';
import {
  asHostName,
  asCountryCode,
  asIdentifier,
  asLowerCaseText,
  asMeaningfulText,
  asText,
  asWebUrl,
} from './text.ts';
import { readEvents } from './timestamp.ts';

/** Reads an object of a class (RFC 9083 section 5). */
const readers: { readonly [T in ObjectType]: (object: JsonObject) => ObjectData[T] } = {
  ip: readIpNetwork,
  autnum: readAutnum,
  entity: readEntity,
  nameserver: readNameserver,
  reverse_zone: readReverseZone,
};

/** Returns a parser. It calls `onParserError` with errors, which are bugs in it. */
export function objectParser(onParserError: (error: unknown) => void): ObjectParser {
  return {
    parse: (type, object) => parseObject(type, object, onParserError),
    entitiesIn: (object) => parseRelatedEntities(object, onParserError),
  };
}

/**
 * Parses an object other than a domain. Invalid values are omitted, but remain in `raw`. Never
 * throws; calls `onParserError` with errors, which are bugs in this parser.
 */
export function parseObject<T extends ObjectType>(
  type: T,
  object: JsonObject,
  onParserError?: (error: unknown) => void,
): ObjectData[T] {
  return { ...readSafely<ObjectData[T]>(readers[type], object, onParserError), raw: object };
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

function readReverseZone(object: JsonObject): ReverseZone {
  const network = asObject(object['network']);
  return omitUndefined<ReverseZone>({
    ...readMembers(object),
    name: asHostName(object['ldhName']),
    hosts: readNameservers(object['nameservers']),
    dnssec: dnssecOf(asObject(object['secureDNS'])),
    network: network && readIpNetwork(network),
  });
}

/** Reads a network, which may be part of an entity or a reverse zone. */
function readIpNetwork(object: JsonObject): IpNetwork {
  const start = addressOf(object['startAddress']);
  const end = addressOf(object['endAddress']);
  const members = readMembers(object);

  return omitUndefined<IpNetwork>({
    ...members,
    geofeed: members.links.find(({ rel }) => rel === 'geofeed')?.href,
    startAddress: start && formatIpBlock(start),
    endAddress: end && formatIpBlock(end),
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
  const network = prefix && parseIpBlock(`${formatIpBlock(prefix)}/${length}`);
  return network && formatCidr(network.version, network.first, network.length);
}

function versionOf(json: Json | undefined): IpVersion | undefined {
  const version = asLowerCaseText(json);
  return version === 'v4' || version === 'v6' ? version : undefined;
}

function originAutnumsOf(json: Json | undefined): readonly number[] {
  return [...new Set(listOf(json).flatMap((number) => autnumOf(number) ?? []))];
}

/**
 * Reads the members that all object classes have. `withheld` are the names of other values that
 * the server replaced by placeholders.
 */
function readMembers(object: JsonObject, withheld: readonly string[] = []): RdapObject {
  const contacts = contactsIn(object);
  const sources = Array.from(contacts, ([entity, contact]) => ({ entity, contact }));
  const handle = isWithheld(object['handle']) ? ['Handle'] : [];

  return omitUndefined<RdapObject>({
    handle: asIdentifier(object['handle']),
    statuses: readStatuses(object['status']),
    events: readEvents(object['events']),
    entities: relatedEntitiesOf(object, contacts),
    remarks: readRemarks(object['remarks']),
    links: readLinks(object['links']),
    redacted: readRedactions(object, [...handle, ...withheld, ...sources.flatMap(withheldNames)]),
    raw: object,
  });
}

function readRemarks(json: Json | undefined): readonly Remark[] {
  return objectsOf(json).flatMap((remark) => {
    const title = asText(remark['title']);
    const description = linesIn(remark['description']);
    const type = asLowerCaseText(remark['type']);
    return title || type || description.length > 0
      ? omitUndefined<Remark>({ title, type, description })
      : [];
  });
}

function readLinks(json: Json | undefined): readonly Link[] {
  return objectsOf(json).flatMap((link) => {
    const href = asWebUrl(link['href']);
    return href
      ? omitUndefined<Link>({
          rel: asLowerCaseText(link['rel']),
          href,
          type: asText(link['type']),
        })
      : [];
  });
}

/** Reads an autonomous system, which may be part of an entity. */
function readAutnum(object: JsonObject): Autnum {
  return omitUndefined<Autnum>({
    ...readMembers(object),
    startNumber: autnumOf(object['startAutnum']),
    endNumber: autnumOf(object['endAutnum']),
    name: asMeaningfulText(object['name']),
    type: asMeaningfulText(object['type']),
    country: asCountryCode(object['country']),
  });
}

/** Returns an AS number, which some servers send as a string, with or without `AS`. */
export function autnumOf(json: Json | undefined): number | undefined {
  const text = typeof json === 'number' ? String(json) : asText(json);
  const digits = /^(?:AS)?(\d{1,10})$/i.exec(text ?? '')?.[1];
  return digits !== undefined && Number(digits) <= maxAutnum ? Number(digits) : undefined;
}
