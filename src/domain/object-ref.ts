import { quoted } from '../shared/printable.ts';
import { parseDomainName, type DomainName } from './names/domain-name.ts';
import { containsNetwork, formatIpBlock, parseIpBlock, type IpBlock } from './names/ip-address.ts';
import { Problem, invalidParameter, missingParameter } from './problems.ts';
import { isReverseName, parseReverseZone, reverseZoneOfText } from './names/reverse-zone.ts';

/**
 * The object classes of RDAP besides domains (RFC 9082 section 3.1), as in the paths of lookups, and
 * reverse zones, which are domains there.
 */
export const objectTypes = ['ip', 'autnum', 'entity', 'nameserver', 'reverse_zone'] as const;
export type ObjectType = (typeof objectTypes)[number];

/** An IP address, or a network in CIDR notation, in canonical form (RFC 5952). */
export interface IpRef {
  readonly type: 'ip';
  /**
   * Identifies the object in caches, queues and meters, e.g. `ip/192.0.2.1`. It contains a slash, so
   * it never equals a name.
   */
  readonly key: string;
  readonly ip: string;
  /** Base URL of the server that a link names; undefined to find the registry by the address. */
  readonly baseUrl?: string;
  /** The path of a search for the network around one (RFC 9910 section 3). */
  readonly search?: string;
  /** The blocks of the one that is searched from; the result must be larger. */
  readonly inside?: readonly string[];
}

/**
 * Returns the network around another one, at the server that a link of the other names, by its own
 * URL (`https://rdap.example/ip/192.0.0.0/16`) or by a search
 * (`https://rdap.example/ips/rirSearch1/rdap-up/192.0.2.0/24`); undefined if that is no larger network.
 * `cidrs` are those of the other one.
 */
export function enclosingRefOf(href: string, cidrs: readonly string[]): IpRef | undefined {
  const inner = cidrs.flatMap((cidr) => parseIpBlock(cidr) ?? []);
  const [first] = inner;
  const [, baseUrl, path, text = ''] =
    /^(https?:\/\/[^?#]*\/)(ip\/|ips\/rirSearch1\/rdap-up\/)([^?#]{1,100})$/i.exec(href) ?? [];
  if (!first || inner.length < cidrs.length || baseUrl === undefined) return undefined;

  if (path !== 'ip/') {
    const search = `${path}${text}`;
    const ip = formatIpBlock(first);
    return { type: 'ip', key: `${search} ${baseUrl}`, ip, baseUrl, search, inside: cidrs };
  }

  const outer = parseIpBlock(text);
  const isAround = inner.every(
    (each) => outer && outer.length < each.length && containsNetwork(outer, each),
  );
  if (!outer || !isAround) return undefined;

  const ip = formatIpBlock(outer);
  return { type: 'ip', key: `ip/${ip} ${baseUrl}`, ip, baseUrl };
}

/** The largest number of an autonomous system, of 32 bits (RFC 6793). */
export const maxAutnum = 4_294_967_295;

/** An autonomous system, by its number. */
export interface AutnumRef {
  readonly type: 'autnum';
  readonly key: string;
  readonly number: number;
}

/** An entity: a person or an organization, by its handle at one server. */
export interface EntityRef {
  readonly type: 'entity';
  readonly key: string;
  readonly handle: string;
  /**
   * Base URL of the server that has it; undefined if the handle ends with the tag of its registry
   * (RFC 8521).
   */
  readonly baseUrl?: string | undefined;
}

/** A nameserver object, by its host name. */
export interface NameserverRef {
  readonly type: 'nameserver';
  readonly key: string;
  readonly name: DomainName;
}

/** A reverse zone, by its name. */
export interface ReverseZoneRef {
  readonly type: 'reverse_zone';
  readonly key: string;
  readonly name: string;
  readonly network: IpBlock;
}

/** A reference to an object, as created by the parsers of this module. */
export type ObjectRef = IpRef | AutnumRef | EntityRef | NameserverRef | ReverseZoneRef;

export type RefOf<T extends ObjectType> = Extract<ObjectRef, { readonly type: T }>;

/** Returns the path of the lookup of an object (RFC 9082 section 3.1), relative to the base URL. */
export function lookupPath(ref: ObjectRef): string {
  if (ref.type === 'ip') return ref.search ?? `ip/${ref.ip}`;
  return ref.type === 'entity' ? `entity/${encodeURIComponent(ref.handle)}` : ref.key;
}

/**
 * Maximum length of a handle, in UTF-16 code units. Encoded, a longer one could exceed the size of a
 * key in PostgreSQL.
 */
const maxHandleLength = 100;

/**
 * Parses an IPv4 or IPv6 address, or a network in CIDR notation (RFC 9082 section 3.1.1), in any
 * spelling. Host bits are cleared, a full-length prefix is removed, and an IPv4-mapped address is
 * IPv4: equal networks have equal keys. Throws `invalid_parameter`.
 */
export function parseIpRef(text: string): IpRef {
  const network = parseIpBlock(text.trim());
  if (!network)
    throw invalid(text, 'an IP address or network such as 192.0.2.1 or 2001:db8::/32', 'address');
  const ip = formatIpBlock(network);
  return { type: 'ip', key: `ip/${ip}`, ip };
}

/**
 * Parses the number of an autonomous system (RFC 9082 section 3.1.2), 0 to 4294967295, with or
 * without `AS` (also `ASN` and `AS `), also as two numbers of 16 bits (`AS1.10`, RFC 5396). Throws
 * `invalid_parameter`.
 */
export function parseAutnumRef(input: string | number): AutnumRef {
  const text = withPlainPrefix(String(input));
  const [high, low] = (/^AS(\d{1,5}\.\d{1,5})$/i.exec(text)?.[1] ?? '').split('.').map(Number);
  const isDotted = high !== undefined && low !== undefined && high <= 0xffff && low <= 0xffff;
  const number = isDotted
    ? high * 0x10000 + low
    : Number(/^(?:AS)?(\d{1,10})$/i.exec(text)?.[1] ?? NaN);
  if (!(number <= maxAutnum))
    throw invalid(String(input), 'an AS number such as 64496 (0 to 4294967295)', 'number');

  return { type: 'autnum', key: `autnum/${number}`, number };
}

/**
 * Parses the handle of an entity (RFC 9082 section 3.1.5), of 1 to 100 characters; the case is
 * kept. `baseUrl` is the base URL of its server, if known. Throws `invalid_parameter`.
 */
export function parseEntityRef(handle: string, baseUrl?: string): EntityRef {
  const trimmed = handle.trim();
  if (!isHandle(trimmed))
    throw invalid(handle, `a handle of 1 to ${maxHandleLength} characters`, 'handle');

  // Encoded, a handle contains no space, so that it cannot end like a base URL in the key.
  const encoded = encodeURIComponent(trimmed);
  return baseUrl === undefined
    ? { type: 'entity', key: `entity/${encoded}`, handle: trimmed }
    : { type: 'entity', key: `entity/${encoded} ${baseUrl}`, handle: trimmed, baseUrl };
}

/** Parses the host name of a nameserver (RFC 9082 section 3.1.4). Throws `invalid_parameter`. */
export function parseNameserverRef(text: string): NameserverRef {
  try {
    const name = parseDomainName(text);
    return { type: 'nameserver', key: `nameserver/${name}`, name };
  } catch (error) {
    if (error instanceof Problem)
      throw invalid(text, 'a host name such as ns1.example.com', 'name');
    throw error;
  }
}

/**
 * Parses the name of a reverse zone (RFC 9082 section 3.1.3), in the spellings of RFC 2317 too, or
 * an address or a network, for its zone. Throws `invalid_parameter`.
 */
export function parseReverseZoneRef(text: string): ReverseZoneRef {
  const zone = parseReverseZone(reverseZoneOfText(text) ?? text);
  if (!zone) throw invalid(text, 'a reverse zone such as 2.0.192.in-addr.arpa', 'name');
  const key = `domain/${encodeURIComponent(zone.name)}`;
  return { type: 'reverse_zone', key, ...zone };
}

/** Parses the identifier of an object of a type, as above. Throws `invalid_parameter`. */
export function parseObjectRef(type: ObjectType, text: string): ObjectRef {
  switch (type) {
    case 'ip':
      return parseIpRef(text);
    case 'autnum':
      return parseAutnumRef(text);
    case 'entity':
      return parseEntityRef(text);
    case 'nameserver':
      return parseNameserverRef(text);
    case 'reverse_zone':
      return parseReverseZoneRef(text);
  }
}

/**
 * Returns what a query without a type is about: an address or a network, an AS number (`AS64496`
 * or digits), a reverse zone, a handle with a tag (RFC 8521: a hyphen, but no dot), else a domain name.
 */
export function detectObjectType(text: string): 'domain' | Exclude<ObjectType, 'nameserver'> {
  const trimmed = withPlainPrefix(text);
  if (trimmed.split(/[-–]/).every((part) => isIpLike(part.trim()))) return 'ip';
  if (isReverseName(trimmed)) return 'reverse_zone';
  // A range is rejected as what it is a range of.
  if (/^AS\d+\.\d+$|^(?:AS)?\d+$|^AS\d+\s*[-–]\s*(?:AS)?\d+$/i.test(trimmed)) return 'autnum';
  return /[.。．｡]/.test(trimmed) || !trimmed.includes('-') ? 'domain' : 'entity';
}

/** Writes the prefix of AS numbers as `AS`: people write `ASN64496`, `AS 64496` and `AS#64496`, too. */
function withPlainPrefix(text: string): string {
  return text.trim().replaceAll(/\bASN?[\s:#]*(?=\d)/gi, 'AS');
}

/** Also matches what was probably meant as an address, so that the error message is about that. */
function isIpLike(text: string): boolean {
  if (text.includes('.') && /^\d[\d.]*(?:\/\d*)?$/.test(text)) return true;
  return text.includes(':') && /^[[\]\da-f:.]+(?:%\w*)?\]?(?:\/\d*)?$/i.test(text);
}

/**
 * Returns whether a text can be a handle. A path of dots and slashes only cannot: a URL parser
 * removes `..` from a path.
 */
function isHandle(text: string): boolean {
  return (
    text.length <= maxHandleLength &&
    text.isWellFormed() &&
    !/\p{Cc}/u.test(text) &&
    /[^./\\\s]/.test(text)
  );
}

function invalid(input: string, expected: string, param: string): Problem {
  if (input.trim() === '') return missingParameter(param);
  return invalidParameter(param, `${quoted(input)} is not ${expected}.`);
}
