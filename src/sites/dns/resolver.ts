import { Resolver } from 'node:dns/promises';
import { parse } from 'tldts';

/**
 * Creates a resolver of DNS records. It reads the configuration of the system once, so create one
 * for each read. `servers`: `ADDRESS` or `ADDRESS:PORT`, instead of the system's resolvers.
 */
export function createResolver(servers?: readonly string[]): Resolver {
  const resolver = new Resolver({ timeout: 1500, tries: 2, maxTimeout: 2500 });
  if (servers) resolver.setServers(servers);
  return resolver;
}

/**
 * Returns whether a host is under a suffix of ICANN's part of the Public Suffix List. The records of
 * other names, such as those under `internal`, are those of the operator's network. Resolvers also
 * have local zones under `arpa`, such as `home.arpa` (RFC 8375) and those of RFC 6303. Node's resolver
 * answers for `onion` itself, without a query (RFC 7686).
 */
export function isPublicName(host: string): boolean {
  return parse(host).isIcann === true && !/(?:^|\.)(?:arpa|onion)$/.test(host);
}
