import type { IncomingMessage } from 'node:http';
import { networkOf, normalizeAddress, type AddressList } from '../domain/names/ip-address.ts';
import headers from './forwarding-headers.json' with { type: 'json' };

/**
 * Returns the client address of a request: the peer or, if the peer is a trusted proxy, the last
 * address in `X-Forwarded-For` that is not a trusted proxy. Addresses left of it were supplied by
 * the client. Returns undefined if the socket is closed.
 */
export function callerAddress(
  request: Pick<IncomingMessage, 'headersDistinct'> & {
    readonly socket: { readonly remoteAddress?: string | undefined };
  },
  trustedProxies: AddressList,
): string | undefined {
  let caller = normalizeAddress(request.socket.remoteAddress ?? '');
  // Node parses headers on first access, which is unnecessary under overload.
  if (caller === undefined || !trustedProxies.has(caller)) return caller;

  const hops = (request.headersDistinct['x-forwarded-for'] ?? []).flatMap((line) =>
    line.split(','),
  );
  while (caller !== undefined && trustedProxies.has(caller)) {
    // If a proxy writes something else, such as `unknown`, the proxy is the last known address.
    const hop = normalizeAddress(hops.pop()?.trim() ?? '');
    if (hop === undefined) return caller;
    caller = hop;
  }

  return caller;
}

/** Returns whether a header shows that the request was forwarded by a proxy. */
export function isForwarded(received: NodeJS.Dict<string[]>): boolean {
  return Object.keys(received).some(
    (name) =>
      forwardingHeaders.has(name) || forwardingPrefixes.some((prefix) => name.startsWith(prefix)),
  );
}

/** Headers that proxies, load balancers and CDNs add, with who does; some add only their own. */
const forwardingHeaders = new Set(Object.keys(headers.names));
const forwardingPrefixes = Object.keys(headers.prefixes);

/**
 * Returns the id for limits per address: an IPv4 address, or a /64, since one machine controls all
 * addresses of a /64.
 */
export function addressLimitId(address: string | undefined): string | undefined {
  return address === undefined ? undefined : `address ${networkOf(address)}`;
}
