import type { IncomingMessage } from 'node:http';
import { networkOf, normalizeAddress, type AddressList } from '../ip-address.ts';

/**
 * Where a request comes from: its peer, or, where the peer is a trusted proxy, the last address in `X-Forwarded-For` that is not one. What
 * stands left of that was written by the caller. Undefined when the socket is gone.
 */
export function callerAddress(
  request: Pick<IncomingMessage, 'headersDistinct'> & {
    readonly socket: { readonly remoteAddress?: string | undefined };
  },
  trustedProxies: AddressList,
): string | undefined {
  let caller = normalizeAddress(request.socket.remoteAddress ?? '');
  // Headers are parsed when they are first read, which under overload they need not be.
  if (caller === undefined || !trustedProxies.has(caller)) return caller;
  const hops = (request.headersDistinct['x-forwarded-for'] ?? []).flatMap((line) =>
    line.split(','),
  );
  while (caller !== undefined && trustedProxies.has(caller)) {
    // Where a proxy writes something else, such as `unknown`, the proxy itself is the last one that is known.
    const hop = normalizeAddress(hops.pop()?.trim() ?? '');
    if (hop === undefined) return caller;
    caller = hop;
  }
  return caller;
}

/** Whether somebody on the way says that the request is not his own. */
export function isForwarded(headers: NodeJS.Dict<string[]>): boolean {
  return Object.keys(headers).some(
    (name) => forwardingHeaders.has(name) || name.startsWith('x-forwarded-'),
  );
}

/** What proxies say so with; some of them with nothing but a header of their own. */
const forwardingHeaders = new Set([
  'forwarded',
  'via',
  'x-real-ip',
  'cf-connecting-ip',
  'true-client-ip',
]);

/** Whom a limit per address counts: an IPv4 address, or a whole /64, as one machine has all of its addresses. */
export function addressLimitId(address: string | undefined): string | undefined {
  return address === undefined ? undefined : `address ${networkOf(address)}`;
}
