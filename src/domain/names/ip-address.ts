import { BlockList, isIP, isIPv4 } from 'node:net';

/** A set of IP addresses and networks. */
export interface AddressList {
  /** Returns whether an address, as returned by `normalizeAddress`, is in the list. */
  has(address: string): boolean;
}

/**
 * Returns whether `text` is an address or a network, e.g. `10.0.0.7`, `10.0.0.0/8` or `fd00::/8`.
 */
export function isAddressRange(text: string): boolean {
  const [address = ''] = text.split('/');
  return parseIpBlock(text) !== undefined && !isIPv4Mapped(address);
}

/** Creates a list of ranges, which must be valid according to `isAddressRange`. */
export function addressList(ranges: readonly string[]): AddressList {
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    const family = familyOf(address);
    if (bits === undefined) lists[family].addAddress(address, family);
    else lists[family].addSubnet(address, Number(bits), family);
  }

  // One list per family: in a common one, `::/0` would also contain every IPv4 address.
  return {
    has: (address) =>
      ranges.length > 0 && lists[familyOf(address)].check(address, familyOf(address)),
  };
}

/**
 * Returns an address as written by a socket or a proxy, without port, brackets and zone; an
 * IPv4-mapped one as IPv4. Undefined if it is invalid.
 */
export function normalizeAddress(text: string): string | undefined {
  if (isIPv4(text)) return text;
  const bare =
    /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  const [address = ''] = bare.toLowerCase().split('%', 1);
  if (!isIP(address)) return undefined;
  return isIPv4(address) ? address : (embeddedIPv4(address) ?? address);
}

/** Returns whether a normalized address is a loopback address. */
export function isLoopbackAddress(address: string): boolean {
  return loopback.has(address);
}

/**
 * Returns the /64 of an IPv6 address, which usually belongs to one site or machine; an IPv4 address
 * is returned unchanged.
 */
export function networkOf(address: string): string {
  return isIPv4(address) ? address : `${groupsOf(address).slice(0, 4).join(':')}::/64`;
}

/** Returns the /24 or the /48 of an address. */
export function addressBlockOf(address: string): string {
  const { version, first } = parseIpBlock(address) ?? { version: 4, first: 0n };
  return `${version} ${first >> (version === 4 ? 8n : 80n)}`;
}

const loopback = addressList(['127.0.0.0/8', '::1']);

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv4(address) ? 'ipv4' : 'ipv6';
}

function isIPv4Mapped(address: string): boolean {
  return isIP(address) === 6 && embeddedIPv4(address) !== undefined;
}

/** `::ffff:192.0.2.1` → `192.0.2.1`, in any spelling. */
function embeddedIPv4(address: string): string | undefined {
  const groups = groupsOf(address);
  if (groups.slice(0, 6).join(':') !== '0:0:0:0:0:ffff') return undefined;
  return groups
    .slice(6)
    .flatMap((group) => [parseInt(group, 16) >> 8, parseInt(group, 16) & 255])
    .join('.');
}

/** Returns the eight groups of an IPv6 address in hexadecimal, as the URL parser writes them. */
export function groupsOf(address: string): readonly string[] {
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const before = head.split(':').filter(Boolean);
  const after = (tail ?? '').split(':').filter(Boolean);

  return [
    ...before,
    ...Array.from({ length: 8 - before.length - after.length }, () => '0'),
    ...after,
  ];
}

export interface HostPort {
  /** A host name or an IP address, without brackets. */
  readonly host: string;
  readonly port: number;
}

/** Parses `HOST`, `HOST:PORT` or `[IPV6]:PORT`. Undefined if the text is invalid. */
export function parseHostPort(text: string, defaultPort: number): HostPort | undefined {
  const [, name = text, portText] = /^([^:]*|\[.*\]):(\d{1,5})$/.exec(text) ?? [];
  const port = portText === undefined ? defaultPort : Number(portText);
  // An address with a zone, such as fe80::1%eth0, is valid on one machine only.
  const address = text.includes('%') ? undefined : normalizeAddress(name);
  const host = address ?? (isHostName(name) ? name.toLowerCase() : undefined);
  return host !== undefined && port >= 1 && port <= 65_535 ? { host, port } : undefined;
}

/** Parses an IP address with an optional port. Undefined if the text is invalid. */
export function parseAddressPort(text: string, defaultPort: number): HostPort | undefined {
  const parsed = parseHostPort(text, defaultPort);
  return parsed && normalizeAddress(parsed.host) !== undefined ? parsed : undefined;
}

/** Returns whether a text is a host name in A-labels. The URL parser reads `127.1` as an address. */
function isHostName(text: string): boolean {
  const url = `https://${text}`;
  return (
    /^[a-z0-9.-]+$/i.test(text) && URL.canParse(url) && new URL(url).hostname === text.toLowerCase()
  );
}

/** The length of an address, in bits, by version. */
export const addressBits = { 4: 32, 6: 128 } as const;

/** A block of addresses; a single address is a block of full length. */
export interface IpBlock {
  readonly version: 4 | 6;
  /** The first address, as a number. */
  readonly first: bigint;
  /** The length of the prefix, in bits. */
  readonly length: number;
}

/**
 * Parses an address or a network in CIDR notation. Clears the host bits: `192.0.2.1/24` is
 * `192.0.2.0/24`. An IPv4-mapped address (`::ffff:192.0.2.1`) is IPv4. Returns undefined for
 * anything else, such as a zone, a port, brackets or octal numbers.
 */
export function parseIpBlock(text: string): IpBlock | undefined {
  const [address = '', bits, ...more] = text.split('/');
  if (!isIP(address) || address.includes('%') || more.length > 0) return undefined;

  const version = isIPv4(address) ? 4 : 6;
  const length =
    bits === undefined ? addressBits[version] : parseLength(bits, addressBits[version]);
  if (length === undefined) return undefined;

  const number = version === 4 ? numberOf(address.split('.'), 8) : numberOf(groupsOf(address), 16);
  return unmapped({ version, first: clearHostBits(number, addressBits[version] - length), length });
}

/** Formats a network: an address if it is a single one, else CIDR notation (RFC 5952). */
export function formatIpBlock({ version, first, length }: IpBlock): string {
  const address = version === 4 ? formatIPv4(first) : formatIPv6(first);
  return length === addressBits[version] ? address : `${address}/${length}`;
}

/** Returns whether a network contains another one completely. */
export function containsNetwork(outer: IpBlock, inner: IpBlock): boolean {
  return (
    outer.version === inner.version &&
    outer.length <= inner.length &&
    clearHostBits(inner.first, addressBits[outer.version] - outer.length) === outer.first
  );
}

const mappedPrefix = 0xffffn;

function parseLength(text: string, max: number): number | undefined {
  return /^\d{1,3}$/.test(text) && Number(text) <= max ? Number(text) : undefined;
}

function unmapped(network: IpBlock): IpBlock {
  const { version, first, length } = network;
  return version === 6 && length >= 96 && first >> 32n === mappedPrefix
    ? { version: 4, first: first & 0xffffffffn, length: length - 96 }
    : network;
}

function clearHostBits(number: bigint, hostBits: number): bigint {
  return (number >> BigInt(hostBits)) << BigInt(hostBits);
}

/** Joins parts of `bits` bits each; those of IPv6 are hexadecimal. */
function numberOf(parts: readonly string[], bits: 8 | 16): bigint {
  return parts.reduce(
    (number, part) => (number << BigInt(bits)) | BigInt(bits === 8 ? part : `0x${part}`),
    0n,
  );
}

function formatIPv4(number: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (number >> shift) & 0xffn).join('.');
}

/** The URL parser writes addresses as RFC 5952 section 4 recommends. */
function formatIPv6(number: bigint): string {
  const groups = Array.from({ length: 8 }, (_, index) =>
    ((number >> BigInt(112 - 16 * index)) & 0xffffn).toString(16),
  );
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}
