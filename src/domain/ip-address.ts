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
  const [address = '', bits, ...more] = text.split('/');
  const version = isIP(address);
  if (version === 0 || more.length > 0 || address.includes('%') || isIPv4Mapped(address))
    return false;
  return (
    bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
  );
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
