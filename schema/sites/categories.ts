import { categoriesOf, type SiteCategory } from '../../src/sites/page/categories.ts';
import { descriptionOf } from '../../src/sites/page/page-summary.ts';
import type { PageDocument, PageVisit } from '../../src/sites/page/page-visit.ts';
import { mapOutcome, type Outcome } from '../../src/domain/outcome.ts';
import { objectType } from '../builder.ts';
import { siteResult } from './site-result.ts';

interface Categories extends Pick<PageVisit, 'finalUrl'>, Partial<PageDocument> {
  readonly categories: readonly SiteCategory[];
  readonly description: string | null;
}

/** Returns the categories of a page, with what describes it. */
export function categoriesOfVisit(outcome: Outcome<PageVisit>): Outcome<Categories> {
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

export const CategoriesType = siteResult<Categories>('SiteCategories', (t, field) => ({
  finalUrl: t.string(field('finalUrl')),
  categories: t.field({ type: [CategoryType], ...field('categories') }),
  title: t.string(field('title')),
  description: t.string(field('description')),
  language: t.string(field('language')),
}));
