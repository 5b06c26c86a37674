import type { IncomingMessage } from 'node:http';
import { networkOf, normalizeAddress, type AddressList } from '../ip-address.ts';

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
export function isForwarded(headers: NodeJS.Dict<string[]>): boolean {
  return Object.keys(headers).some(
    (name) => forwardingHeaders.has(name) || name.startsWith('x-forwarded-'),
  );
}

/** Headers that proxies add; some proxies add only their own. */
const forwardingHeaders = new Set([
  'forwarded',
  'via',
  'x-real-ip',
  'cf-connecting-ip',
  'true-client-ip',
]);

/**
 * Returns the id for limits per address: an IPv4 address, or a /64, since one machine controls all
 * addresses of a /64.
 */
export function addressLimitId(address: string | undefined): string | undefined {
  return address === undefined ? undefined : `address ${networkOf(address)}`;
}
