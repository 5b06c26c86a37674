import { isIP, isIPv4 } from 'node:net';
import { groupsOf } from './ip-address.ts';

/** The length of an address, in bits, by version. */
export const addressBits = { 4: 32, 6: 128 } as const;

/** A block of addresses; a single address is a block of full length. */
export interface IpNetwork {
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
export function parseIpNetwork(text: string): IpNetwork | undefined {
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
export function formatIpNetwork({ version, first, length }: IpNetwork): string {
  const address = version === 4 ? formatIPv4(first) : formatIPv6(first);
  return length === addressBits[version] ? address : `${address}/${length}`;
}

/** Returns whether a network contains another one completely. */
export function containsNetwork(outer: IpNetwork, inner: IpNetwork): boolean {
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

function unmapped(network: IpNetwork): IpNetwork {
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
