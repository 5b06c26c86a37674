import { oncePerObject } from '../../shared/memoize.ts';
import { isSubdomain } from './certificate-pages.ts';
import type { LoggedCertificate } from './certificate-list.ts';

/** The names under a host that certificates contain. Some may no longer exist. */
export interface Subdomains {
  /** In alphabetical order. */
  readonly names: readonly Subdomain[];
  /** The number of names, before the limit. */
  readonly totalFound: number;
  /** Such as `*.example.com`, in alphabetical order; empty unless they are selected. */
  readonly wildcards: readonly Subdomain[];
}

/** A name under a host that a certificate contains. */
export interface Subdomain {
  readonly name: string;
  /** When a log first received a certificate with the name, or its validity began, in epoch ms. */
  readonly firstSeen: number;
}

/** Which names a caller selects. */
export interface SubdomainOptions {
  readonly includeWildcards: boolean;
  /** The maximum number of names, and of wildcards. */
  readonly limit: number;
}

interface FoundNames {
  readonly host: string;
  /** In alphabetical order. */
  readonly names: readonly string[];
  /** In alphabetical order. */
  readonly wildcards: readonly string[];
  /** In epoch ms. */
  readonly firstSeen: ReadonlyMap<string, number>;
}

/**
 * Returns the names under `host`, and not `host` itself. They are collected once per list: an
 * operation may select a cached list of 10,000 certificates many times.
 */
export function subdomainsOf(
  { certificates }: { readonly certificates: readonly LoggedCertificate[] },
  host: string,
  { includeWildcards, limit }: SubdomainOptions,
): Subdomains {
  const cache = namesIn(certificates);
  if (cache.last?.host !== host) cache.last = findNames(certificates, host);
  const { names, wildcards, firstSeen } = cache.last;
  const dated = (found: readonly string[]) =>
    found.slice(0, limit).map((name) => ({ name, firstSeen: firstSeen.get(name) as number }));
  return {
    names: dated(names),
    totalFound: names.length,
    wildcards: includeWildcards ? dated(wildcards) : [],
  };
}

/** Holds the names of the host that was selected last: a list is about one host. */
const namesIn = oncePerObject((_certificates: readonly LoggedCertificate[]) => ({
  last: undefined as FoundNames | undefined,
}));

function findNames(certificates: readonly LoggedCertificate[], host: string): FoundNames {
  const firstSeen = new Map<string, number>();
  for (const { names, loggedAt, notBefore } of certificates)
    for (const name of names)
      if (name.endsWith(`.${host}`))
        firstSeen.set(name, Math.min(loggedAt ?? notBefore, firstSeen.get(name) ?? Infinity));
  const found = Array.from(firstSeen.keys()).toSorted();
  return {
    host,
    names: found.filter((name) => isSubdomain(name, host)),
    wildcards: found.filter((name) => name.startsWith('*.')),
    firstSeen,
  };
}
