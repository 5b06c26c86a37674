import { subdomainPageSizes } from '../pages.ts';
import { lookUp, maxAgeArg, type SiteField } from '../site-field.ts';
import { subdomainsLookup } from './certificates-lookups.ts';
import {
  subdomainsOf,
  type CertificateList,
  type Subdomain,
  type SubdomainOptions,
} from './certificate-list.ts';
import { mapOutcome, type Outcome } from '../../domain/outcome.ts';
import { objectType } from '../../schema/builder.ts';
import { siteResult, type DataOf } from '../site-result.ts';

/** Returns the names under a host that the certificates of a search contain. */
export function subdomainsIn(
  outcome: Outcome<CertificateList>,
  host: string,
  options: SubdomainOptions,
) {
  return mapOutcome(outcome, (list) => {
    const { source, isTruncated } = list;
    const { wildcards: wildcardNames, ...found } = subdomainsOf(list, host, options);
    const wildcards = wildcardNames.map(({ name }) => name);
    return { source, isTruncated, ...found, wildcards, wildcardNames };
  });
}

const SubdomainType = objectType<Subdomain>('Subdomain', (t) => ({
  name: t.exposeString('name'),
  firstSeen: t.expose('firstSeen', { type: 'DateTime' }),
}));

export const SubdomainsType = siteResult<DataOf<typeof subdomainsIn>>('Subdomains', (t, field) => ({
  source: t.string(field('source')),
  subdomains: t.field({ type: [SubdomainType], ...field('names') }),
  wildcards: t.stringList(field('wildcards')),
  wildcardNames: t.field({ type: [SubdomainType], ...field('wildcardNames') }),
  totalCount: t.int(field('totalFound')),
  truncated: t.boolean(field('isTruncated')),
}));

export const subdomainsField: SiteField = (t) =>
  t.field({
    type: SubdomainsType,
    args: {
      first: t.arg.int({
        description: `Maximum number of names, from 1 to ${subdomainPageSizes.max}. The default is ${subdomainPageSizes.default}.`,
      }),
      includeWildcards: t.arg.boolean({ defaultValue: false, required: true }),
      ...maxAgeArg,
    },
    resolve: async (site, { first, includeWildcards }, context) => {
      const limit = first ?? subdomainPageSizes.default;
      const outcome = await lookUp(subdomainsLookup, site, context);
      return subdomainsIn(outcome, site.domain, { includeWildcards, limit });
    },
  });
