import { flagParameter } from '../../api/rest/parameters.ts';
import * as shape from '../../api/rest/shape.ts';
import { mapOutcome } from '../../domain/outcome.ts';
import { withParam } from '../../domain/problems.ts';
import { builder } from '../../schema/builder.ts';
import { nextCursor } from '../../server/messages/deprecations.ts';
import { pageSizeOf } from '../../server/messages/parameters.ts';
import { certificatePageSizes, pageRequestOf, type PageRequest } from '../pages.ts';
import { siteEndpoint } from '../site-endpoint.ts';
import { resultField, type Feature } from '../site-field.ts';
import { lookupOf } from '../site-lookup.ts';
import { limitParameter } from '../site-parameters.ts';
import { sitesOf } from '../site-result.ts';
import {
  filterCertificates,
  isExpired,
  isWildcard,
  pageOfCertificates,
  summarizeCertificates,
  type CertificateFilter,
  type CertificateList,
} from './certificate-list.ts';
import { certificatesFact, searchProblems, warningsOf, warningsText } from './certificates-fact.ts';

const lookup = lookupOf(certificatesFact, {
  price: 2,
  workMs: 2,
  about: 'host',
  check: ({ first, after }) =>
    void pageOfCertificates(
      [],
      pageRequestOf(pageSizeOf(first, certificatePageSizes, 'first'), after),
    ),
});

interface Certificates {
  readonly source: string;
  readonly certificates: readonly object[];
  readonly next_cursor: string | null;
  readonly truncated: boolean;
}

const returnedCertificates = shape.count(
  'Number of certificates in this response.',
  'certificates.length',
);

/** `GET /v1/certificates`: the certificates of a name in logs of Certificate Transparency. */
const endpoint = siteEndpoint<Certificates>('/v1/certificates', {
  lookup,
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
  problems: searchProblems,
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
    certificates: shape.items(
      'certificates',
      'LoggedCertificate',
      {
        issuer: shape.object({
          name: shape.text('The distinguished name of the issuer.', 'issuer'),
        }),
        ...shape.known('common_name', 'fingerprint_sha256'),
        source: shape.text('The host name of the certificate search.', 'source'),
      },
      [],
      ({ certificates: all, source }: Certificates) => all.map((each) => ({ ...each, source })),
    ),
    summary: shape.object({
      total_found: shape.count('Number of certificates that match.', 'total'),
      returned: returnedCertificates,
      ...shape.same('unique_subdomains', 'issuers', 'earliest_cert', 'latest_cert'),
    }),
    pagination: shape.object({
      limit: shape.count('The limit that was applied.', 'variables.first'),
      returned: returnedCertificates,
      total: shape.count('Number of certificates that match.', 'total'),
      has_more: shape.flag(
        'Whether more certificates follow.',
        ({ next_cursor: cursor }) => cursor !== null,
      ),
      ...shape.same('next_cursor'),
    }),
    warnings: shape.texts(warningsText, ({ truncated }) => warningsOf(truncated)),
  },
});

/** Returns the selected page of the certificates that a search returned. */
function pageOf(list: CertificateList, filter: CertificateFilter, request: PageRequest) {
  const selected = filterCertificates(list.certificates, filter);
  const { items, nextCursor: cursor } = pageOfCertificates(selected, request);
  const { source, isTruncated } = list;

  return {
    source,
    isTruncated,
    ...summarizeCertificates(selected, filter.host),
    nextCursor: cursor,
    items: items.map((item) => ({
      ...item,
      expired: isExpired(item, filter.now),
      wildcard: isWildcard(item),
    })),
  };
}

/** The feature `certificates`: the certificates of a name in logs. */
export const certificates = {
  lookup,
  field: resultField(
    'Certificates',
    lookup,
    (outcome, { first, after, ...filter }, { domain: host }, context) => {
      const request = pageRequestOf(first ?? certificatePageSizes.default, after);
      const now = sitesOf(context).now();
      return mapOutcome(outcome, (list) => pageOf(list, { ...filter, host, now }, request));
    },
    builder.args((t) => ({
      first: t.int({
        description: `Number of certificates, from 1 to ${certificatePageSizes.max}. The default is ${certificatePageSizes.default}.`,
      }),
      after: t.string(),
      includeSubdomains: t.boolean({ defaultValue: true, required: true }),
      includeExpired: t.boolean({ defaultValue: false, required: true }),
    })),
  ),
  endpoints: [endpoint],
} satisfies Feature;
