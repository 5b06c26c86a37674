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
  readonly wildcards: readonly string[];
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
  readonly names: readonly string[];
  /** When each name was first seen, in epoch ms, by the index of the name. */
  readonly firstSeen: Float64Array;
  readonly wildcards: readonly string[];
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
  const { names, firstSeen, wildcards } = cache.last;
  return {
    names: names
      .slice(0, limit)
      .map((name, index) => ({ name, firstSeen: firstSeen[index] as number })),
    totalFound: names.length,
    wildcards: includeWildcards ? wildcards.slice(0, limit) : [],
  };
}

/** Holds the names of the host that was selected last: a list is about one host. */
const namesIn = oncePerObject((_certificates: readonly LoggedCertificate[]) => ({
  last: undefined as FoundNames | undefined,
}));

function findNames(certificates: readonly LoggedCertificate[], host: string): FoundNames {
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
    host,
    names,
    firstSeen: Float64Array.from(names, (name) => firstSeen.get(name) as number),
    wildcards: Array.from(wildcards).toSorted(),
  };
}
