import { categoriesOf, type SiteCategory } from '../../src/sites/page/categories.ts';
import { descriptionOf } from '../../src/sites/page/page-summary.ts';
import type { PageDocument, PageVisit } from '../../src/sites/page/page-visit.ts';
import { mapOutcome, type Outcome } from '../../src/domain/outcome.ts';
import { builder } from '../builder.ts';
import { fieldOf, SiteResultType } from './site-result.ts';

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

const CategoryType = builder.objectRef<SiteCategory>('SiteCategory').implement({
  description: 'A category that a page declares.',
  fields: (t) => ({
    category: t.exposeString('category', {
      description: 'The category, such as `business`; derived from the declared type by a table.',
    }),
    subcategory: t.exposeString('subcategory', {
      description: 'The declared type, such as `Restaurant` or `og:article`.',
    }),
    source: t.exposeString('source', {
      description: 'What declares it: `json_ld`, `microdata` or `og:type`.',
    }),
  }),
});

const field = fieldOf<Categories>();

export const CategoriesType = builder.objectRef<Outcome<Categories>>('SiteCategories').implement({
  interfaces: [SiteResultType],
  description:
    'The categories that a page declares by a type of schema.org or `og:type`. Nothing is inferred from its text, so ' +
    'most pages have none.',
  fields: (t) => ({
    finalUrl: t.string(field('finalUrl', 'The URL of the page, after redirects.')),
    categories: t.field({
      type: [CategoryType],
      ...field(
        'categories',
        'The categories; the first is the primary one. Empty if none is declared.',
      ),
    }),
    title: t.string(field('title', 'The title.')),
    description: t.string(field('description', 'The description.')),
    language: t.string(field('language', 'The declared language.')),
  }),
});
