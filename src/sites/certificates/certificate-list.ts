import { oncePerObject } from '../../shared/memoize.ts';
import { pagesBy } from '../pages.ts';

/** The certificates that a Certificate Transparency search returned for a name. */
export interface CertificateList {
  /** The host name of the search, such as `crt.sh`; `sandbox` for that of the sandbox. */
  readonly source: string;
  /** Newest first. */
  readonly certificates: readonly LoggedCertificate[];
  /** Whether the search may have more, or returned more than the gateway stores. */
  readonly isTruncated: boolean;
}

/** A certificate in a Certificate Transparency log (RFC 9162). */
export interface LoggedCertificate {
  /** The identifier at the search. */
  readonly id: string;
  readonly issuer: string;
  readonly commonName: string | null;
  /** In lower case, each once; some searches return only those that match the search. */
  readonly names: readonly string[];
  /** Epoch ms. */
  readonly notBefore: number;
  /** Epoch ms. */
  readonly notAfter: number;
  /** When the log received it, in epoch ms; null if the search does not say. */
  readonly loggedAt: number | null;
  /** Lower-case hexadecimal digits; null if the search does not say. */
  readonly fingerprintSha256: string | null;
}

/** Which certificates of a search a caller selects. */
export interface CertificateFilter {
  /** The name that was searched. */
  readonly host: string;
  /** Whether to include certificates that are only for names under the host. */
  readonly includeSubdomains: boolean;
  readonly includeExpired: boolean;
  /** Epoch ms. */
  readonly now: number;
}

/** The certificates that a filter selects, and when it selects the same ones. */
interface Selection {
  readonly selected: readonly LoggedCertificate[];
  /** Epoch ms, exclusive. */
  readonly after: number;
  /** Epoch ms, inclusive. */
  readonly until: number;
}

/**
 * Returns the certificates that a caller selects, in the order of the list. Selecting the same ones of
 * a list again returns the same array, so that they are filtered and summarized once.
 */
export function filterCertificates(
  certificates: readonly LoggedCertificate[],
  filter: CertificateFilter,
): readonly LoggedCertificate[] {
  const { host, includeSubdomains, includeExpired, now } = filter;
  const selections = selectionsOf(certificates);
  const key = `${host} ${includeSubdomains} ${includeExpired}`;
  const cached = selections.get(key);
  if (cached && cached.after < now && now <= cached.until) return cached.selected;

  const selection = select(certificates, filter);
  selections.set(key, selection);
  return selection.selected;
}

const selectionsOf = oncePerObject(
  (_certificates: readonly LoggedCertificate[]) => new Map<string, Selection>(),
);

function select(
  certificates: readonly LoggedCertificate[],
  { host, includeSubdomains, includeExpired, now }: CertificateFilter,
): Selection {
  const named = includeSubdomains
    ? certificates
    : certificates.filter(({ names }) => names.includes(host));
  if (includeExpired) return { selected: named, after: -Infinity, until: Infinity };

  let [after, until] = [-Infinity, Infinity];
  for (const certificate of named) {
    const { notAfter } = certificate;
    if (isExpired(certificate, now)) after = Math.max(after, notAfter);
    else until = Math.min(until, notAfter);
  }

  return { selected: named.filter((each) => !isExpired(each, now)), after, until };
}

/** Returns a page of certificates. Throws `invalid_parameter` for an invalid cursor. */
export const pageOfCertificates = pagesBy<LoggedCertificate>({
  positionOf: ({ notBefore, id }) => `${notBefore} ${id}`,
  isAfter: (position) => {
    const match = /^(-?\d{1,15}) (\d{1,15})$/.exec(position);
    if (!match) return undefined;
    const last = { notBefore: Number(match[1]), id: match[2] ?? '' };
    return (certificate) => compareCertificates(certificate, last) > 0;
  },
});

/** Compares certificates for sorting: those that became valid last come first. */
export function compareCertificates(a: Position, b: Position): number {
  return b.notBefore - a.notBefore || Number(b.id) - Number(a.id);
}

/** Summarizes selected certificates of all pages, once for the same array and host. */
export const summarizeCertificates = lastOfList(summarize);

function summarize(certificates: readonly LoggedCertificate[], host: string) {
  const names = new Set(certificates.flatMap(({ names: listed }) => listed));
  return {
    totalFound: certificates.length,
    uniqueSubdomains: Array.from(names).filter((name) => isSubdomain(name, host)).length,
    issuers: Array.from(new Set(certificates.map(({ issuer }) => issuer))).toSorted(),
    earliest: certificates.at(-1)?.notBefore ?? null,
    latest: certificates[0]?.notBefore ?? null,
  };
}

export function isWildcard({ names }: LoggedCertificate): boolean {
  return names.some((name) => name.startsWith('*.'));
}

/** Returns whether the validity of a certificate has ended. `now` is in epoch ms. */
export function isExpired({ notAfter }: LoggedCertificate, now: number): boolean {
  return notAfter < now;
}

/** Returns whether a name is under a host, and not a wildcard. */
export function isSubdomain(name: string, host: string): boolean {
  return name.endsWith(`.${host}`) && !name.startsWith('*.');
}

type Position = Pick<LoggedCertificate, 'notBefore' | 'id'>;

/**
 * Returns the names under `host`, and not `host` itself, in alphabetical order: at most `limit` names,
 * with the number of all, and as many wildcards. Some may no longer exist. `firstSeen` is when a log
 * first received a certificate with the name, or its validity began, in epoch ms. They are collected
 * once per list: an operation may select a cached list of 10,000 certificates many times.
 */
export function subdomainsOf(
  { certificates }: Pick<CertificateList, 'certificates'>,
  host: string,
  { includeWildcards, limit }: { readonly includeWildcards: boolean; readonly limit: number },
) {
  const { names, wildcards, firstSeen } = namesIn(certificates, host);
  const dated = (found: readonly string[]) =>
    found.slice(0, limit).map((name) => ({ name, firstSeen: firstSeen.get(name) as number }));

  return {
    names: dated(names),
    totalFound: names.length,
    wildcards: includeWildcards ? dated(wildcards) : [],
  };
}

const namesIn = lastOfList(findNames);

function findNames(certificates: readonly LoggedCertificate[], host: string) {
  const firstSeen = new Map<string, number>();
  for (const { names, loggedAt, notBefore } of certificates)
    for (const name of names)
      if (name.endsWith(`.${host}`))
        firstSeen.set(name, Math.min(loggedAt ?? notBefore, firstSeen.get(name) ?? Infinity));

  const found = Array.from(firstSeen.keys()).toSorted();
  return {
    names: found.filter((name) => isSubdomain(name, host)),
    wildcards: found.filter((name) => name.startsWith('*.')),
    firstSeen,
  };
}

/** Returns a function that keeps what it derives for the last host of a list: a list is about one. */
function lastOfList<T>(derive: (certificates: readonly LoggedCertificate[], host: string) => T) {
  const lastOf = oncePerObject((_certificates: readonly LoggedCertificate[]) => ({
    last: undefined as { readonly host: string; readonly derived: T } | undefined,
  }));
  return (certificates: readonly LoggedCertificate[], host: string): T => {
    const kept = lastOf(certificates);
    if (kept.last?.host !== host) kept.last = { host, derived: derive(certificates, host) };
    return kept.last.derived;
  };
}
