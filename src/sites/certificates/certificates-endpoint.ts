import { certificatesLookup, subdomainsLookup } from './certificates-lookups.ts';
import { withParam } from '../../domain/problems.ts';
import { nextCursor, preferCache } from '../../server/messages/deprecations.ts';
import { pageOfCertificates } from './certificate-list.ts';
import { certificatePageSizes, pageRequestOf, subdomainPageSizes } from '../pages.ts';
import * as shape from '../../api/rest/shape.ts';
import { siteEndpoint, totalTime } from '../site-endpoint.ts';
import { flagParameter } from '../../api/rest/parameters.ts';
import { limitParameter } from '../site-parameters.ts';

const problems = ['ct_unavailable', 'site_timeout'] as const;

const warningsText = 'What is missing or uncertain.';

interface LoggedCertificate {
  readonly issuer: string;
}

interface Certificates {
  readonly source: string;
  readonly certificates: readonly LoggedCertificate[];
  readonly next_cursor: string | null;
  readonly total: number;
  readonly truncated: boolean;
}

const returnedCertificates = shape.count<Certificates>(
  'Number of certificates in this response.',
  (result) => result.certificates.length,
);

/** `GET /v1/certificates`: the certificates of a name in logs of Certificate Transparency. */
export const certificates = siteEndpoint<Certificates>('/v1/certificates', {
  lookup: certificatesLookup,
  summary: 'List logged certificates of a name',
  description:
    'Returns the certificates that a certificate search finds: crt.sh, or the one of the operator; 501 if it is disabled. For the next page, pass `next_cursor` as `cursor`.',
  parameters: {
    includeSubdomains: flagParameter(
      'include_subdomains',
      true,
      'Also certificates that are only for names under the name.',
    ),
    includeExpired: flagParameter(
      'include_expired',
      false,
      'Also certificates whose validity has ended.',
    ),
    first: limitParameter('certificate_limit', certificatePageSizes, 'certificates'),
    // OpenAPI describes it with its deprecated values.
    after: {
      type: 'String',
      description: {},
      read({ single }) {
        const cursor = single('cursor');
        withParam('cursor', () => pageOfCertificates([], pageRequestOf(1, cursor)));
        return cursor;
      },
    },
  },
  problems,
  aliases: { cursor: { ...nextCursor, values: /^\s*[+-]?\d+(?:\.\d+)?\s*$/ } },
  selection: `
    source
    certificates {
      id: searchId issuer common_name: commonName san: names not_before: notBefore
      not_after: notAfter is_expired: expired is_wildcard: wildcard
      fingerprint_sha256: fingerprintSha256
    }
    next_cursor: nextCursor total: totalCount unique_subdomains: uniqueSubdomains issuers
    earliest_cert: earliestNotBefore latest_cert: latestNotBefore truncated
  `,
  name: 'CertificatesBody',
  members: {
    certificates: shape.items<Certificates, LoggedCertificate & { readonly source: string }>(
      'certificates',
      'LoggedCertificate',
      (result) => result.certificates.map((each) => ({ ...each, source: result.source })),
      {
        issuer: [
          shape.objectOf({ name: shape.text('The distinguished name of the issuer.') }),
          ({ issuer }) => ({ name: issuer }),
        ],
        ...shape.known('common_name', 'fingerprint_sha256'),
        source: shape.text('The host name of the certificate search.', ({ source }) => source),
      },
    ),
    summary: shape.object({
      total_found: shape.count('Number of certificates that match.', ({ total }) => total),
      returned: returnedCertificates,
      ...shape.same('unique_subdomains', 'issuers', 'earliest_cert', 'latest_cert'),
    }),
    pagination: shape.object({
      limit: shape.count('The limit that was applied.', ({ variables }) => variables['first']),
      returned: returnedCertificates,
      total: shape.count('Number of certificates that match.', ({ total }) => total),
      has_more: shape.flag(
        'Whether more certificates follow.',
        ({ next_cursor: cursor }) => cursor !== null,
      ),
      ...shape.same('next_cursor'),
    }),
    warnings: shape.texts(warningsText, ({ truncated }) => warningsOf(truncated)),
  },
});

interface LoggedName {
  readonly name: string;
  readonly first_seen: string;
}

interface Subdomains {
  readonly subdomains: readonly LoggedName[];
  readonly wildcards: readonly LoggedName[];
  readonly total: number;
  readonly truncated: boolean;
}

const source: shape.Member<unknown> = [
  { type: 'string', enum: ['ct'], description: 'Certificate Transparency.' },
  () => 'ct',
];

const wildcard = shape.objectType<LoggedName>('WildcardName', {
  pattern: shape.text('Such as `*.example.com`.', ({ name }) => name),
  source,
  first_seen: [
    { type: 'string', format: 'date-time', description: 'When it was first logged.' },
    (each) => each.first_seen,
  ],
});

const returnedNames = shape.count<Subdomains>(
  'Number of names in this response.',
  (result) => result.subdomains.length,
);

/** `GET /v1/subdomains`: the names under a name that logged certificates contain. */
export const subdomains = siteEndpoint<Subdomains>('/v1/subdomains', {
  lookup: subdomainsLookup,
  summary: 'List names under a name in logged certificates',
  description:
    'Returns the names under a name that logged certificates contain, by a certificate search: crt.sh, or the one of the operator; 501 if it is disabled. The names are not looked up.',
  parameters: {
    includeWildcards: flagParameter(
      'include_wildcards',
      false,
      'Also names such as `*.example.com`.',
    ),
    first: limitParameter('subdomain_limit', subdomainPageSizes, 'names'),
  },
  problems,
  unsupported: {
    verify: { accepts: ['false', '0', 'no', 'off'], detail: 'the names are not looked up.' },
    sources: { accepts: ['ct'], detail: 'the only source is `ct`, Certificate Transparency.' },
  },
  aliases: { prefer_cache: preferCache },
  selection: `
    subdomains { name first_seen: firstSeen }
    wildcards: wildcardNames { name first_seen: firstSeen }
    total: totalCount truncated
  `,
  name: 'SubdomainsBody',
  members: {
    subdomains: shape.items('subdomains', 'Subdomain', (result) => result.subdomains, {
      source,
      verified: shape.flag('Always false: the names are not looked up.', () => false),
      dns_records: [{ type: 'null', description: 'Always null.' }, () => null],
    }),
    wildcards: shape.listOf(
      'Names such as `*.example.com`.',
      wildcard,
      (result) => result.wildcards,
    ),
    summary: shape.object({
      total_found: shape.count('Number of names, before the limit.', ({ total }) => total),
      returned: returnedNames,
      verified_count: shape.count('Always 0.', () => 0),
      sources_used: [shape.list('The sources of the names.', shape.text('`ct`.')), () => ['ct']],
    }),
    intelligence_summary: shape.object({
      data_sources: shape.texts('`ct`.', () => ['ct']),
      source_count: shape.count('Always 1.', () => 1),
      total_found: shape.count('Number of names, before the limit.', ({ total }) => total),
      returned_count: returnedNames,
      truncated: shape.flag(
        'Whether names are missing: there are more than the limit, or than the search returns.',
        (result) => result.truncated || result.subdomains.length < result.total,
      ),
      limit: shape.count('The limit that was applied.', ({ variables }) => variables['first']),
      include_wildcards: shape.flag(
        'Whether `wildcards` was requested.',
        ({ variables }) => variables['includeWildcards'],
      ),
      verification_requested: shape.flag('Always false.', () => false),
      verified_count: shape.count('Always 0.', () => 0),
    }),
    meta: shape.object({ query_time_ms: totalTime, ...shape.same('cached') }),
    warnings: shape.texts(warningsText, ({ truncated }) => [
      'The names are from logged certificates. They were not looked up, so some may no longer exist.',
      ...warningsOf(truncated),
    ]),
  },
});

function warningsOf(truncated: boolean): readonly string[] {
  return truncated ? ['Certificates may be missing, because there are too many.'] : [];
}
