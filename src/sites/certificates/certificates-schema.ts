import { certificatePageSizes, pageRequestOf } from '../pages.ts';
import { lookUp, maxAgeArg, type SiteField } from '../site-field.ts';
import { sitesOf } from '../site-result.ts';
import { certificatesLookup } from './certificates-lookups.ts';
import {
  filterCertificates,
  isExpired,
  isWildcard,
  pageOfCertificates,
  summarizeCertificates,
  type CertificateFilter,
  type CertificateList,
  type LoggedCertificate,
} from './certificate-list.ts';
import type { PageRequest } from '../pages.ts';
import { mapOutcome, type Outcome } from '../../domain/outcome.ts';
import { objectType } from '../../schema/builder.ts';
import { siteResult, type DataOf } from '../site-result.ts';

interface DatedCertificate extends LoggedCertificate {
  readonly expired: boolean;
}

/** Returns the selected page of the certificates that a search returned. */
export function certificatePageOf(
  outcome: Outcome<CertificateList>,
  filter: CertificateFilter,
  request: PageRequest,
) {
  return mapOutcome(outcome, (list) => {
    const selected = filterCertificates(list.certificates, filter);
    const { items, nextCursor } = pageOfCertificates(selected, request);
    const dated = items.map((item) => ({ ...item, expired: isExpired(item, filter.now) }));
    const { source, isTruncated } = list;
    const summary = summarizeCertificates(selected, filter.host);
    return { source, isTruncated, ...summary, items: dated, nextCursor };
  });
}

const CertificateType = objectType<DatedCertificate>('LoggedCertificate', (t) => ({
  searchId: t.exposeString('id'),
  issuer: t.exposeString('issuer'),
  commonName: t.exposeString('commonName', { nullable: true }),
  names: t.exposeStringList('names'),
  notBefore: t.expose('notBefore', { type: 'DateTime' }),
  notAfter: t.expose('notAfter', { type: 'DateTime' }),
  expired: t.exposeBoolean('expired'),
  wildcard: t.boolean({ resolve: isWildcard }),
  fingerprintSha256: t.exposeString('fingerprintSha256', { nullable: true }),
}));

export const CertificatesType = siteResult<DataOf<typeof certificatePageOf>>(
  'Certificates',
  (t, field) => ({
    source: t.string(field('source')),
    certificates: t.field({ type: [CertificateType], ...field('items') }),
    nextCursor: t.string(field('nextCursor')),
    totalCount: t.int(field('totalFound')),
    truncated: t.boolean(field('isTruncated')),
    uniqueSubdomains: t.int(field('uniqueSubdomains')),
    issuers: t.stringList(field('issuers')),
    earliestNotBefore: t.field({ type: 'DateTime', ...field('earliest') }),
    latestNotBefore: t.field({ type: 'DateTime', ...field('latest') }),
  }),
);

export const certificatesField: SiteField = (t) =>
  t.field({
    type: CertificatesType,
    args: {
      first: t.arg.int({
        description: `Number of certificates, from 1 to ${certificatePageSizes.max}. The default is ${certificatePageSizes.default}.`,
      }),
      after: t.arg.string(),
      includeSubdomains: t.arg.boolean({ defaultValue: true, required: true }),
      includeExpired: t.arg.boolean({ defaultValue: false, required: true }),
      ...maxAgeArg,
    },
    resolve: async (site, { first, after, ...filter }, context) => {
      const request = pageRequestOf(first ?? certificatePageSizes.default, after);
      const outcome = await lookUp(certificatesLookup, site, context);
      const now = sitesOf(context).now();
      return certificatePageOf(outcome, { ...filter, host: site.domain, now }, request);
    },
  });
