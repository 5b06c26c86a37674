import { parse } from 'tldts';

/**
 * Returns whether a host is under a suffix of ICANN's part of the Public Suffix List. The records of
 * other names, such as those under `internal`, are those of the operator's network. Resolvers also
 * have local zones under `arpa`, such as `home.arpa` (RFC 8375) and those of RFC 6303. Node's resolver
 * answers for `onion` itself, without a query (RFC 7686).
 */
export function isPublicName(host: string): boolean {
  return parse(host).isIcann === true && !/(?:^|\.)(?:arpa|onion)$/.test(host);
}
