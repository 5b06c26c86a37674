import { lookup as systemLookup, type LookupAddress, type LookupAllOptions } from 'node:dns';
import { isIP, isIPv4, type LookupFunction } from 'node:net';
import { addressList } from '../domain/names/ip-address.ts';
import specialAddresses from './special-addresses.json' with { type: 'json' };

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
 * Resolves a host once, and returns its first address. Rejects with `ForbiddenAddressError` unless all
 * its addresses are allowed, and with the error of the DNS.
 */
export async function checkedAddress(
  host: string,
  isAllowed: (address: string) => boolean,
): Promise<string> {
  const literal = host.replace(/^\[|\]$/g, '');
  if (isIP(literal) && isAllowed(literal)) return literal;
  if (isIP(literal)) throw new ForbiddenAddressError(`${literal} is not a public address`);

  return new Promise((resolve, reject) =>
    checkedLookup(isAllowed)(literal, {}, (error, address) =>
      error ? reject(error) : resolve(String(address)),
    ),
  );
}

/**
 * Returns whether an IP literal is globally reachable unicast, by IANA's special-purpose address
 * registries.
 */
export function isPublicAddress(address: string): boolean {
  if (!isIP(address) || special.has(address)) return false;
  return isIPv4(address) || globalIPv6.has(address);
}

// IPv4-mapped, NAT64, unique-local and link-local addresses are outside 2000::/3, the only block
// that is assigned for global unicast.
const globalIPv6 = addressList(['2000::/3']);

// RFC 6890 and IANA's registries of special-purpose addresses, multicast, and the reserved block
// 240.0.0.0/4. Those of IPv6 are within 2000::/3.
const special = addressList(Object.values(specialAddresses).flatMap(Object.keys));
