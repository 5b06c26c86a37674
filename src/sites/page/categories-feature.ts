import * as shape from '../../api/rest/shape.ts';
import { mapOutcome } from '../../domain/outcome.ts';
import { skipCache } from '../../server/messages/deprecations.ts';
import { readProblems, siteEndpoint, totalTime } from '../site-endpoint.ts';
import { resultField, type Feature } from '../site-field.ts';
import type { SiteLookup } from '../site-lookup.ts';
import { categoriesOf, type SiteCategory } from './categories.ts';
import { pageFact, readReadablePage } from './page-feature.ts';
import { descriptionOf } from './page-summary.ts';
import type { PageVisit } from './page-visit.ts';

const lookup: SiteLookup<PageVisit> = {
  name: 'categories',
  price: 3,
  workMs: 11,
  about: 'page',
  fact: pageFact,
  read: readReadablePage,
};

/** `GET /v1/categorize`: the categories that a page declares. */
const endpoint = siteEndpoint('/v1/categorize', {
  lookup,
  summary: 'Read the declared categories of a page',
  description:
    'Returns the categories of the types of schema.org and Open Graph that the page declares; none if it declares none.',
  target: 'domain or url',
  problems: readProblems,
  unsupported: {
    min_confidence: {
      accepts: ['0'],
      detail: 'categories are declared by the page and have no confidence.',
    },
  },
  aliases: { skip_cache: skipCache },
  selection: 'url: finalUrl categories { category subcategory source } title description language',
  name: 'CategoriesBody',
  keepsResult: true,
  members: {
    categories: shape.items(
      'categories',
      'SiteCategory',
      {
        signals: [
          shape.list(
            'What declares the category.',
            shape.objectOf({
              source: shape.text('Such as `json_ld`.'),
              evidence: shape.text('The declared type.'),
            }),
          ),
          ({ source, subcategory }: SiteCategory) => [{ source, evidence: subcategory }],
        ],
      },
      ['source'],
    ),
    total_time_ms: totalTime,
    primary_category: shape.textOrNull(
      'The first category; null if none is declared.',
      'categories.0.category',
    ),
  },
});

/** The feature `categories`: what a page declares to be about. */
export const categories = {
  lookup,
  field: resultField('SiteCategories', lookup, (outcome) =>
    mapOutcome(outcome, (visit) => ({
      ...visit.document,
      finalUrl: visit.finalUrl,
      categories: categoriesOf(visit),
      description: descriptionOf(visit),
    })),
  ),
  endpoints: [endpoint],
} satisfies Feature;
