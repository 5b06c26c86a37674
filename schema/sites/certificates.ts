import {
  filterCertificates,
  isExpired,
  isWildcard,
  pageOfCertificates,
  summarizeCertificates,
  type CertificateFilter,
  type CertificateSummary,
} from '../../src/sites/certificates/certificate-pages.ts';
import type {
  CertificateList,
  LoggedCertificate,
} from '../../src/sites/certificates/certificate-list.ts';
import type { PageRequest } from '../../src/sites/pages.ts';
import { mapOutcome, type Outcome } from '../../src/domain/outcome.ts';
import { builder } from '../builder.ts';
import { fieldOf, SiteResultType } from './site-result.ts';

interface DatedCertificate extends LoggedCertificate {
  readonly expired: boolean;
}

interface CertificatePage
  extends CertificateSummary, Pick<CertificateList, 'source' | 'isTruncated'> {
  readonly items: readonly DatedCertificate[];
  readonly nextCursor: string | null;
}

/** Returns the selected page of the certificates that a search returned. */
export function certificatePageOf(
  outcome: Outcome<CertificateList>,
  filter: CertificateFilter,
  request: PageRequest,
): Outcome<CertificatePage> {
  return mapOutcome(outcome, (list) => {
    const selected = filterCertificates(list.certificates, filter);
    const { items, nextCursor } = pageOfCertificates(selected, request);
    const dated = items.map((item) => ({ ...item, expired: isExpired(item, filter.now) }));
    const { source, isTruncated } = list;
    const summary = summarizeCertificates(selected, filter.host);
    return { source, isTruncated, ...summary, items: dated, nextCursor };
  });
}

const CertificateType = builder.objectRef<DatedCertificate>('LoggedCertificate').implement({
  description: 'A certificate in a Certificate Transparency log (RFC 9162).',
  fields: (t) => ({
    searchId: t.exposeString('id', { description: 'Identifier assigned by the search service.' }),
    issuer: t.exposeString('issuer', { description: 'The name of the issuer.' }),
    commonName: t.exposeString('commonName', {
      nullable: true,
      description: 'The common name of the subject.',
    }),
    names: t.exposeStringList('names', {
      description:
        'The DNS names in lower case, each once. Only names that match the search may be known: the host and names under it.',
    }),
    notBefore: t.expose('notBefore', { type: 'DateTime', description: 'Start of validity.' }),
    notAfter: t.expose('notAfter', { type: 'DateTime', description: 'End of validity.' }),
    expired: t.exposeBoolean('expired', { description: 'Whether the validity has ended.' }),
    wildcard: t.boolean({ description: 'Whether a name is a wildcard.', resolve: isWildcard }),
    fingerprintSha256: t.exposeString('fingerprintSha256', {
      nullable: true,
      description: 'SHA-256 fingerprint in lower case; null if the search does not return it.',
    }),
  }),
});

const field = fieldOf<CertificatePage>();

export const CertificatesType = builder
  .objectRef<Outcome<CertificatePage>>('Certificates')
  .implement({
    interfaces: [SiteResultType],
    description:
      'The certificates of a name in logs of Certificate Transparency, from a search that the operator configures. A logged ' +
      'certificate need not be in use, and the search may lack recent ones.',
    fields: (t) => ({
      source: t.string(field('source', 'The host name of the search service.')),
      certificates: t.field({
        type: [CertificateType],
        ...field('items', 'A page of the certificates, newest first.'),
      }),
      nextCursor: t.string(
        field('nextCursor', 'The `after` of the next page; null on the last page.'),
      ),
      totalCount: t.int(field('totalFound', 'The number of selected certificates on all pages.')),
      truncated: t.boolean(
        field(
          'isTruncated',
          'Whether the search may have more certificates, or returned more than the gateway keeps.',
        ),
      ),
    }),
  });

builder.objectFields(CertificatesType, (t) => ({
  uniqueSubdomains: t.int(
    field('uniqueSubdomains', 'The number of different names under the host, without wildcards.'),
  ),
  issuers: t.stringList(
    field('issuers', 'The issuers of the selected certificates, in alphabetical order.'),
  ),
  earliestNotBefore: t.field({
    type: 'DateTime',
    ...field('earliest', 'The first start of validity; null without certificates.'),
  }),
  latestNotBefore: t.field({
    type: 'DateTime',
    ...field('latest', 'The last start of validity; null without certificates.'),
  }),
}));
