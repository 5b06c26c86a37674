import { categoriesLookup } from './page-lookups.ts';
import { skipCache } from '../../server/messages/deprecations.ts';
import * as shape from '../../api/rest/shape.ts';
import { readProblems, siteEndpoint, totalTime } from '../site-endpoint.ts';

interface Categories {
  readonly categories: readonly {
    readonly category: string;
    readonly subcategory: string;
    readonly source: string;
  }[];
}

/** `GET /v1/categorize`: the categories that a page declares. */
export const categorize = siteEndpoint<Categories>('/v1/categorize', {
  lookup: categoriesLookup,
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
      ({ categories }) => categories,
      {
        signals: [
          shape.list(
            'What declares the category.',
            shape.objectOf({
              source: shape.text('Such as `json_ld`.'),
              evidence: shape.text('The declared type.'),
            }),
          ),
          ({ source, subcategory }) => [{ source, evidence: subcategory }],
        ],
      },
      ['source'],
    ),
    total_time_ms: totalTime,
    primary_category: shape.textOrNull(
      'The first category; null if none is declared.',
      ({ categories }) => categories[0]?.category ?? null,
    ),
  },
});
