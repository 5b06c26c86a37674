import { pageOfCertificates } from '../../sites/certificates/certificate-pages.ts';
import {
  certificatePageSizes,
  pageRequestOf,
  subdomainPageSizes,
} from '../../sites/page-request.ts';
import { readParameter } from '../messages/parameters.ts';
import { readFlag, readLimit } from './site-parameters.ts';
import { siteRoute } from './site-route.ts';

interface Certificates {
  readonly source: string;
  readonly certificates: readonly object[];
  readonly next_cursor: string | null;
  readonly total: number;
  readonly unique_subdomains: number;
  readonly issuers: readonly string[];
  readonly earliest_cert: string | null;
  readonly latest_cert: string | null;
  readonly truncated: boolean;
}

/** `GET /v1/certificates`: the certificates of a name in logs of Certificate Transparency. */
export const certificatesRoute = siteRoute<Certificates>({
  path: '/v1/certificates',
  target: 'domain',
  readVariables: (parameters) => {
    const first = readLimit(parameters, certificatePageSizes);
    const after = parameters.single('cursor');
    // Rejects an invalid cursor.
    readParameter('cursor', () => pageOfCertificates([], pageRequestOf(first, after)));
    return {
      first,
      after,
      includeSubdomains: readFlag(parameters, 'include_subdomains', true),
      includeExpired: readFlag(parameters, 'include_expired', false),
    };
  },
  bodyOf: ({ source, certificates, next_cursor, total, ...summary }, _domain, variables) => ({
    certificates: certificates.map((certificate) => ({ ...certificate, source })),
    summary: {
      total_found: total,
      returned: certificates.length,
      unique_subdomains: summary.unique_subdomains,
      issuers: summary.issuers,
      earliest_cert: summary.earliest_cert,
      latest_cert: summary.latest_cert,
    },
    pagination: {
      limit: variables['first'],
      returned: certificates.length,
      total,
      has_more: next_cursor !== null,
      next_cursor,
    },
    warnings: warningsOf(summary.truncated),
  }),
});

interface Subdomains {
  readonly source: string;
  readonly subdomains: readonly { readonly name: string; readonly first_seen: string }[];
  readonly wildcards: readonly string[];
  readonly total: number;
  readonly truncated: boolean;
}

/** `GET /v1/subdomains`: the names under a name that logged certificates contain. */
export const subdomainsRoute = siteRoute<Subdomains>({
  path: '/v1/subdomains',
  target: 'domain',
  readVariables: (parameters) => ({
    first: readLimit(parameters, subdomainPageSizes),
    includeWildcards: readFlag(parameters, 'include_wildcards', false),
  }),
  bodyOf: ({ subdomains, wildcards, total, truncated }) => ({
    subdomains: subdomains.map(({ name, first_seen }) => ({
      name,
      source: 'ct',
      first_seen,
      verified: false,
    })),
    wildcards,
    summary: {
      total_found: total,
      returned: subdomains.length,
      verified_count: 0,
      sources_used: ['ct'],
    },
    warnings: [
      'The names are from logged certificates. They were not looked up, so some may no longer exist.',
      ...warningsOf(truncated),
    ],
  }),
});

function warningsOf(truncated: boolean): readonly string[] {
  return truncated ? ['Certificates may be missing, because there are too many.'] : [];
}
