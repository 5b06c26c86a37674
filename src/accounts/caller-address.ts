import type { IncomingMessage } from 'node:http';
import { networkOf, normalizeAddress, type AddressList } from '../domain/ip-address.ts';

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
    (name) =>
      forwardingHeaders.has(name) || forwardingPrefixes.some((prefix) => name.startsWith(prefix)),
  );
}

/** Headers that proxies, load balancers and CDNs add; some add only their own. */
const forwardingHeaders = new Set([
  'cdn-loop', // RFC 8586
  'client-ip',
  'do-connecting-ip', // DigitalOcean
  'fastly-client-ip',
  'forwarded', // RFC 7239
  'proxy-client-ip', // WebLogic
  'true-client-ip', // Akamai, Cloudflare
  'via',
  'wl-proxy-client-ip',
  'x-arr-log-id', // IIS
  'x-client-ip',
  'x-cluster-client-ip',
  'x-nginx-proxy',
  'x-original-forwarded-for',
  'x-original-host',
  'x-originating-ip',
  'x-proxyuser-ip',
  'x-real-ip',
  'x-remote-addr',
  'x-remote-ip',
  'x-varnish',
]);
const forwardingPrefixes = [
  'cf-', // Cloudflare
  'cloudfront-',
  'fly-',
  'tailscale-',
  'x-akamai-',
  'x-amz-cf-', // CloudFront
  'x-appengine-',
  'x-azure-',
  'x-envoy-',
  'x-forwarded-',
  'x-vercel-',
];

/**
 * Returns the id for limits per address: an IPv4 address, or a /64, since one machine controls all
 * addresses of a /64.
 */
export function addressLimitId(address: string | undefined): string | undefined {
  return address === undefined ? undefined : `address ${networkOf(address)}`;
}
