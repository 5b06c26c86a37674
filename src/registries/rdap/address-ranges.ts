import {
  addressBits,
  formatIpBlock,
  parseIpBlock,
  type IpBlock as AddressBlock,
} from '../../domain/names/ip-address.ts';
import type { Json, JsonObject } from '../../domain/registration.ts';
import { asText } from './text.ts';

/** A range of addresses; both ends are included. */
export interface AddressRange {
  readonly version: AddressBlock['version'];
  readonly first: bigint;
  readonly last: bigint;
}

/**
 * Returns the range of an "ip network" object. Undefined if an end is missing or invalid, or if the
 * range is reversed.
 */
export function rangeOf(object: JsonObject): AddressRange | undefined {
  const start = addressOf(object['startAddress']);
  const end = addressOf(object['endAddress']);
  return start && end && start.version === end.version && start.first <= end.first
    ? { version: start.version, first: start.first, last: end.first }
    : undefined;
}

/** Returns whether a range contains all addresses of a network. */
export function containsAll(range: AddressRange, network: AddressBlock): boolean {
  return (
    range.version === network.version &&
    range.first <= network.first &&
    network.first + sizeOf(network) - 1n <= range.last
  );
}

/** Returns whether a range has more addresses than distinct networks have together. */
export function isLarger(
  { first, last }: AddressRange,
  networks: readonly AddressBlock[],
): boolean {
  return last - first + 1n > networks.reduce((sum, network) => sum + sizeOf(network), 0n);
}

function sizeOf({ version, length }: AddressBlock): bigint {
  return 1n << BigInt(addressBits[version] - length);
}

/**
 * Parses an address. ARIN wrote IPv4 addresses with leading zeros (`074.125.000.000`), and some
 * servers append the length of a prefix (`192.0.2.0/32`).
 */
export function addressOf(json: Json | undefined): AddressBlock | undefined {
  const text = (asText(json) ?? '').replace(/\/\d{1,3}$/, '');
  const address = /^\d{1,3}(?:\.\d{1,3}){3}$/.test(text)
    ? text.split('.').map(Number).join('.')
    : text;
  return address.includes('/') ? undefined : parseIpBlock(address);
}

/**
 * Returns the fewest networks that make up a range, in CIDR notation. Empty if there are more than
 * 62, which only IPv6 ranges need: no registry assigns such a range.
 */
export function cidrsOf({ version, first, last }: AddressRange): readonly string[] {
  const blocks: { start: bigint; length: number }[] = [];
  let hostBits = 0;

  const fits = (start: bigint, bits: number) =>
    bits <= addressBits[version] &&
    start % (1n << BigInt(bits)) === 0n &&
    start + (1n << BigInt(bits)) - 1n <= last;

  // The blocks first grow, then shrink, so that there are at most 254, and 510 changes of size.
  for (let start = first; start <= last; start += 1n << BigInt(hostBits)) {
    while (fits(start, hostBits + 1)) hostBits += 1;
    while (!fits(start, hostBits)) hostBits -= 1;
    blocks.push({ start, length: addressBits[version] - hostBits });
  }

  return blocks.length > maxBlocks
    ? []
    : blocks.map(({ start, length }) => formatCidr(version, start, length));
}

/** Formats a network in CIDR notation, also if it is a single address: `192.0.2.1/32`. */
export function formatCidr(version: 4 | 6, first: bigint, length: number): string {
  return `${formatIpBlock({ version, first, length: addressBits[version] })}/${length}`;
}

/** The most blocks of an IPv4 range: `0.0.0.1` to `255.255.255.254`. */
const maxBlocks = 62;
