import { lookup as systemLookup, type LookupAddress, type LookupAllOptions } from 'node:dns';
import { BlockList, isIP, isIPv4, type LookupFunction } from 'node:net';

export class ForbiddenAddressError extends Error {
  override readonly name = 'ForbiddenAddressError';
}

/** Resolves a name to all its addresses, like `dns.lookup`. */
export type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * Returns the `lookup` option of a socket: resolves a name, checks every address, and returns only
 * checked addresses, which prevents DNS rebinding. Sockets do not call it for IP literals.
 */
export function checkedLookup(
  isAllowed: (address: string) => boolean,
  resolve: Resolve = systemLookup,
): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0);
      const forbidden = addresses.find(({ address }) => !isAllowed(address));
      const [first] = addresses;
      // One forbidden address rejects the name: rebinding attacks start with mixed answers.
      if (forbidden || !first)
        return callback(
          new ForbiddenAddressError(`${hostname} does not have a public address`),
          '',
          0,
        );
      if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

/**
 * Returns whether an IP literal is globally reachable unicast, by IANA's special-purpose address
 * registries.
 */
export function isPublicAddress(address: string): boolean {
  if (!isIP(address)) return false;
  if (isIPv4(address)) return !specialIPv4.check(address, 'ipv4');
  return globalIPv6.check(address, 'ipv6') && !specialIPv6.check(address, 'ipv6');
}

// IPv4-mapped, NAT64, unique-local and link-local addresses are outside 2000::/3, the only block
// that is assigned for global unicast.
const globalIPv6 = blockList('ipv6', ['2000::/3']);

/** RFC 6890 and IANA's IPv6 Special-Purpose Address Registry, within 2000::/3. */
const specialIPv6 = blockList('ipv6', [
  '2001::/23', // protocol assignments, Teredo, ORCHID, benchmarking
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4: embeds an IPv4 address
  '3fff::/20', // documentation
]);

/**
 * RFC 6890 and IANA's IPv4 Special-Purpose Address Registry, multicast, and the reserved block
 * 240.0.0.0/4.
 */
const specialIPv4 = blockList('ipv4', [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10', // carrier-grade NAT
  '127.0.0.0/8',
  '169.254.0.0/16', // link-local, cloud metadata
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // AMT
  '192.88.99.0/24', // 6to4 relay
  '192.168.0.0/16',
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarking
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
]);

function blockList(family: 'ipv4' | 'ipv6', subnets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [network = '', bits] = subnet.split('/');
    list.addSubnet(network, Number(bits), family);
  }
  return list;
}
