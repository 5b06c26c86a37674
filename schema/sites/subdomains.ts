import type { CertificateList } from '../../src/sites/certificates/certificate-list.ts';
import {
  subdomainsOf,
  type Subdomain,
  type SubdomainOptions,
  type Subdomains,
} from '../../src/sites/certificates/subdomains.ts';
import { mapOutcome, type Outcome } from '../../src/domain/outcome.ts';
import { builder } from '../builder.ts';
import { fieldOf, SiteResultType } from './site-result.ts';

type FoundSubdomains = Subdomains & Pick<CertificateList, 'source' | 'isTruncated'>;

/** Returns the names under a host that the certificates of a search contain. */
export function subdomainsIn(
  outcome: Outcome<CertificateList>,
  host: string,
  options: SubdomainOptions,
): Outcome<FoundSubdomains> {
  return mapOutcome(outcome, (list) => {
    const { source, isTruncated } = list;
    return { source, isTruncated, ...subdomainsOf(list, host, options) };
  });
}

const SubdomainType = builder.objectRef<Subdomain>('Subdomain').implement({
  description: 'A name that a logged certificate contains.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The name in lower case.' }),
    firstSeen: t.expose('firstSeen', {
      type: 'DateTime',
      description: 'When a log first received a certificate with the name, or its validity began.',
    }),
  }),
});

const field = fieldOf<FoundSubdomains>();

export const SubdomainsType = builder.objectRef<Outcome<FoundSubdomains>>('Subdomains').implement({
  interfaces: [SiteResultType],
  description:
    'The names under a host that logged certificates contain. They need not exist any more, and names without a ' +
    'certificate of their own are missing. No names are guessed, and none is looked up.',
  fields: (t) => ({
    source: t.string(field('source', 'The host name of the certificate search.')),
    subdomains: t.field({
      type: [SubdomainType],
      ...field('names', 'The names in alphabetical order.'),
    }),
    wildcards: t.stringList(
      field('wildcards', 'Names such as `*.example.com`; empty without `includeWildcards`.'),
    ),
    totalCount: t.int(field('totalFound', 'The number of names, before the limit.')),
    truncated: t.boolean(
      field(
        'isTruncated',
        'Whether the search may have more certificates, or returned more than the gateway keeps.',
      ),
    ),
  }),
});
