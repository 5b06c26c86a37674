import { formatIpNetwork, parseIpNetwork as parseCidr } from '../../domain/ip-network.ts';
import type { IpNetwork, IpVersion } from '../../domain/rdap-objects.ts';
import type { Json, JsonObject } from '../../domain/registration.ts';
import { addressOf, cidrsOf, formatCidr, rangeOf } from './address-range.ts';
import { autnumOf } from './autnum.ts';
import { listOf, objectsOf, omitUndefined } from './json.ts';
import { emptyMembers, readMembers } from './object-members.ts';
import { readSafely } from './read-safely.ts';
import { asCountryCode, asIdentifier, asLowerCaseText, asMeaningfulText, asText } from './text.ts';

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
export function readIpNetwork(object: JsonObject): IpNetwork {
  const start = addressOf(object['startAddress']);
  const end = addressOf(object['endAddress']);
  return omitUndefined<IpNetwork>({
    ...readMembers(object),
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
