import { oncePerObject } from './once-per-object.ts';
import type { LoggedCertificate } from '../certificate-list.ts';
import { pageOf, type Page, type PageKey, type PageRequest } from './pages.ts';

export interface CertificateFilter {
  readonly host: string;
  readonly includeSubdomains: boolean;
  readonly includeExpired: boolean;
  /** Epoch ms. */
  readonly now: number;
}

/** Figures about all certificates of a search, after the filter. */
export interface CertificateSummary {
  readonly totalFound: number;
  /** The number of different names under the host, without wildcards. */
  readonly uniqueSubdomains: number;
  /** In alphabetical order. */
  readonly issuers: readonly string[];
  /** The first start of validity, in epoch ms; null without certificates. */
  readonly earliest: number | null;
  /** The last start of validity, in epoch ms; null without certificates. */
  readonly latest: number | null;
}

interface Selection {
  readonly selected: readonly LoggedCertificate[];
  /** The selection is the same at times after this one, until `until`. */
  readonly after: number;
  readonly until: number;
}

/**
 * Returns the certificates that a caller selects, in the same order. The same selection of a list is
 * the same array, so that it is made and summarized once.
 */
export function filterCertificates(
  certificates: readonly LoggedCertificate[],
  filter: CertificateFilter,
): readonly LoggedCertificate[] {
  const { host, includeSubdomains, includeExpired, now } = filter;
  const selections = selectionsOf(certificates);
  const key = `${host} ${includeSubdomains} ${includeExpired}`;
  const known = selections.get(key);
  if (known && known.after < now && now <= known.until) return known.selected;
  const made = select(certificates, filter);
  selections.set(key, made);
  return made.selected;
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
export function pageOfCertificates(
  certificates: readonly LoggedCertificate[],
  request: PageRequest,
): Page<LoggedCertificate> {
  return pageOf(certificates, request, certificateKey);
}

/** Orders certificates: those that became valid last come first. */
export function compareCertificates(a: Position, b: Position): number {
  return b.notBefore - a.notBefore || Number(b.id) - Number(a.id);
}

/** Returns the summary of some certificates, which is made once for the same array and host. */
export function summaryOf(
  certificates: readonly LoggedCertificate[],
  host: string,
): CertificateSummary {
  const made = summariesOf(certificates);
  if (made.last?.host !== host) made.last = { host, summary: summarize(certificates, host) };
  return made.last.summary;
}

const summariesOf = oncePerObject((_certificates: readonly LoggedCertificate[]) => ({
  last: undefined as { readonly host: string; readonly summary: CertificateSummary } | undefined,
}));

function summarize(certificates: readonly LoggedCertificate[], host: string): CertificateSummary {
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

export function isExpired({ notAfter }: LoggedCertificate, now: number): boolean {
  return notAfter < now;
}

/** Returns whether a name is under a host, and not a wildcard. */
export function isSubdomain(name: string, host: string): boolean {
  return name.endsWith(`.${host}`) && !name.startsWith('*.');
}

type Position = Pick<LoggedCertificate, 'notBefore' | 'id'>;

const certificateKey: PageKey<LoggedCertificate> = {
  positionOf: ({ notBefore, id }) => `${notBefore} ${id}`,
  isAfter: (position) => {
    const match = /^(-?\d{1,15}) (\d{1,15})$/.exec(position);
    if (!match) return undefined;
    const last = { notBefore: Number(match[1]), id: match[2] ?? '' };
    return (certificate) => compareCertificates(certificate, last) > 0;
  },
};
