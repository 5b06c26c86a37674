import { isSubdomain } from './certificate-pages.ts';
import type { LoggedCertificate } from '../certificate-list.ts';

/** The names under a host that certificates contain. They need not exist any more. */
export interface Subdomains {
  /** In alphabetical order. */
  readonly names: readonly Subdomain[];
  /** The number of names, before the limit. */
  readonly totalFound: number;
  /** Such as `*.example.com`, in alphabetical order; empty unless they are selected. */
  readonly wildcards: readonly string[];
}

export interface Subdomain {
  readonly name: string;
  /** When a log first received a certificate with the name, or its validity began, in epoch ms. */
  readonly firstSeen: number;
}

export interface SubdomainOptions {
  readonly includeWildcards: boolean;
  /** The maximum number of names, and of wildcards. */
  readonly limit: number;
}

/** Returns the names under `host`, and not `host` itself. */
export function subdomainsOf(
  { certificates }: { readonly certificates: readonly LoggedCertificate[] },
  host: string,
  { includeWildcards, limit }: SubdomainOptions,
): Subdomains {
  const firstSeen = new Map<string, number>();
  const wildcards = new Set<string>();
  for (const { names, loggedAt, notBefore } of certificates)
    for (const name of names) {
      if (isSubdomain(name, host))
        firstSeen.set(name, Math.min(loggedAt ?? notBefore, firstSeen.get(name) ?? Infinity));
      else if (name.startsWith('*.') && name.endsWith(`.${host}`)) wildcards.add(name);
    }
  const names = Array.from(firstSeen.keys()).toSorted();
  return {
    names: names
      .slice(0, limit)
      .map((name) => ({ name, firstSeen: firstSeen.get(name) as number })),
    totalFound: names.length,
    wildcards: includeWildcards ? Array.from(wildcards).toSorted().slice(0, limit) : [],
  };
}
