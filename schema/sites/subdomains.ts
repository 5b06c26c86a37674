import type { CertificateList } from '../../src/sites/certificates/certificate-list.ts';
import {
  subdomainsOf,
  type Subdomain,
  type SubdomainOptions,
  type Subdomains,
} from '../../src/sites/certificates/subdomains.ts';
import { mapOutcome, type Outcome } from '../../src/domain/outcome.ts';
import { builder } from '../builder.ts';
import { dataField, listField, SiteResultType } from './site-result.ts';

interface FoundSubdomains extends Subdomains {
  readonly list: CertificateList;
}

/** Returns the names under a host that the certificates of a search contain. */
export function subdomainsIn(
  outcome: Outcome<CertificateList>,
  host: string,
  options: SubdomainOptions,
): Outcome<FoundSubdomains> {
  return mapOutcome(outcome, (list) => ({ list, ...subdomainsOf(list, host, options) }));
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

export const SubdomainsType = builder.objectRef<Outcome<FoundSubdomains>>('Subdomains').implement({
  interfaces: [SiteResultType],
  description:
    'The names under a host that logged certificates contain. They need not exist any more, and names without a ' +
    'certificate of their own are missing. No names are guessed, and none is looked up.',
  fields: (t) => ({
    source: t.string({
      nullable: true,
      description: 'The host name of the certificate search.',
      resolve: dataField(({ list }: FoundSubdomains) => list.source),
    }),
    subdomains: t.field({
      type: [SubdomainType],
      nullable: true,
      description: 'The names in alphabetical order.',
      resolve: listField(({ names }: FoundSubdomains) => names),
    }),
    wildcards: t.stringList({
      nullable: true,
      description: 'Names such as `*.example.com`; empty without `includeWildcards`.',
      resolve: listField(({ wildcards }: FoundSubdomains) => wildcards),
    }),
    totalCount: t.int({
      nullable: true,
      description: 'The number of names, before the limit.',
      resolve: dataField(({ totalFound }: FoundSubdomains) => totalFound),
    }),
    truncated: t.boolean({
      nullable: true,
      description:
        'Whether the search may have more certificates, or returned more than the gateway keeps.',
      resolve: dataField(({ list }: FoundSubdomains) => list.isTruncated),
    }),
  }),
});
