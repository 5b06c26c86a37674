import { resultField } from '../site-field.ts';
import { categoriesLookup } from './page-lookups.ts';
import { categoriesOf, type SiteCategory } from './categories.ts';
import { descriptionOf } from './page-summary.ts';
import type { PageVisit } from './page-visit.ts';
import { mapOutcome, type Outcome } from '../../domain/outcome.ts';
import { objectType } from '../../schema/builder.ts';
import { siteResult, type DataOf } from '../site-result.ts';

/** Returns the categories of a page, with what describes it. */
export function categoriesOfVisit(outcome: Outcome<PageVisit>) {
  return mapOutcome(outcome, (visit) => ({
    ...visit.document,
    finalUrl: visit.finalUrl,
    categories: categoriesOf(visit),
    description: descriptionOf(visit),
  }));
}

const CategoryType = objectType<SiteCategory>('SiteCategory', (t) => ({
  category: t.exposeString('category'),
  subcategory: t.exposeString('subcategory'),
  source: t.exposeString('source'),
}));

export const CategoriesType = siteResult<DataOf<typeof categoriesOfVisit>>(
  'SiteCategories',
  (t, field) => ({
    finalUrl: t.string(field('finalUrl')),
    categories: t.field({ type: [CategoryType], ...field('categories') }),
    title: t.string(field('title')),
    description: t.string(field('description')),
    language: t.string(field('language')),
  }),
);

export const categoriesField = resultField(CategoriesType, categoriesLookup, categoriesOfVisit);
