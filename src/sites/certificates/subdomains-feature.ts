import { flagParameter } from '../../api/rest/parameters.ts';
import * as shape from '../../api/rest/shape.ts';
import { mapOutcome } from '../../domain/outcome.ts';
import { builder } from '../../schema/builder.ts';
import { preferCache } from '../../server/messages/deprecations.ts';
import { pageSizeOf } from '../../server/messages/parameters.ts';
import { subdomainPageSizes } from '../pages.ts';
import { siteEndpoint, totalTime } from '../site-endpoint.ts';
import { resultField, type Feature } from '../site-field.ts';
import { lookupOf } from '../site-lookup.ts';
import { limitParameter } from '../site-parameters.ts';
import { subdomainsOf } from './certificate-list.ts';
import { certificatesFact, searchProblems, warningsOf, warningsText } from './certificates-fact.ts';

const lookup = lookupOf(certificatesFact, {
  name: 'subdomains',
  price: 4,
  workMs: 2,
  about: 'host',
  check: ({ first }) => void pageSizeOf(first, subdomainPageSizes, 'first'),
});

interface Subdomains {
  readonly subdomains: readonly object[];
  readonly total: number;
  readonly truncated: boolean;
}

const source: shape.Member<unknown> = [
  { type: 'string', enum: ['ct'], description: 'Certificate Transparency.' },
  () => 'ct',
];

const wildcard = shape.objectType('WildcardName', {
  pattern: shape.text('Such as `*.example.com`.', 'name'),
  source,
  first_seen: [
    { type: 'string', format: 'date-time', description: 'When it was first logged.' },
    'first_seen',
  ],
});

const total = shape.count('Number of names, before the limit.', 'total');
const returnedNames = shape.count('Number of names in this response.', 'subdomains.length');
const verified = shape.count('Always 0.', () => 0);

/** `GET /v1/subdomains`: the names under a name that logged certificates contain. */
const endpoint = siteEndpoint<Subdomains>('/v1/subdomains', {
  lookup,
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
  problems: searchProblems,
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
    subdomains: shape.items('subdomains', 'Subdomain', {
      source,
      verified: shape.flag('Always false: the names are not looked up.', () => false),
      dns_records: [{ type: 'null', description: 'Always null.' }, () => null],
    }),
    wildcards: shape.listOf('Names such as `*.example.com`.', wildcard, 'wildcards'),
    summary: shape.object({
      total_found: total,
      returned: returnedNames,
      verified_count: verified,
      sources_used: [shape.list('The sources of the names.', shape.text('`ct`.')), () => ['ct']],
    }),
    intelligence_summary: shape.object({
      data_sources: shape.texts('`ct`.', () => ['ct']),
      source_count: shape.count('Always 1.', () => 1),
      total_found: total,
      returned_count: returnedNames,
      truncated: shape.flag(
        'Whether names are missing: there are more than the limit, or than the search returns.',
        (result) => result.truncated || result.subdomains.length < result.total,
      ),
      limit: shape.count('The limit that was applied.', 'variables.first'),
      include_wildcards: shape.flag(
        'Whether `wildcards` was requested.',
        'variables.includeWildcards',
      ),
      verification_requested: shape.flag('Always false.', () => false),
      verified_count: verified,
    }),
    meta: shape.object({ query_time_ms: totalTime, ...shape.same('cached') }),
    warnings: shape.texts(warningsText, ({ truncated }) => [
      'The names are from logged certificates. They were not looked up, so some may no longer exist.',
      ...warningsOf(truncated),
    ]),
  },
});

/** The feature `subdomains`: the names under a host that logged certificates contain. */
export const subdomains = {
  lookup,
  field: resultField(
    'Subdomains',
    lookup,
    (outcome, { first, includeWildcards }, { domain }) => {
      const limit = first ?? subdomainPageSizes.default;
      return mapOutcome(outcome, (list) => {
        const found = subdomainsOf(list, domain, { includeWildcards, limit });
        const wildcards = found.wildcards.map(({ name }) => name);
        return { ...list, ...found, wildcards, wildcardNames: found.wildcards };
      });
    },
    builder.args((t) => ({
      first: t.int({
        description: `Maximum number of names, from 1 to ${subdomainPageSizes.max}. The default is ${subdomainPageSizes.default}.`,
      }),
      includeWildcards: t.boolean({ defaultValue: false, required: true }),
    })),
  ),
  endpoints: [endpoint],
} satisfies Feature;
