import { getDomain } from 'tldts';

/**
 * Returns the registrable domain of a host; the host itself for an IP address or a public suffix.
 * Private suffixes such as `github.io` count, because the sites below them have different owners: a
 * slow one must not delay the others.
 */
export function registrableDomain(host: string): string {
  return getDomain(host, { allowPrivateDomains: true }) ?? host;
}
