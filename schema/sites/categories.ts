import { categoriesOf } from '../../src/sites/page/categories.ts';
import { descriptionOf } from '../../src/sites/page/page-summary.ts';
import type { PageVisit } from '../../src/sites/page/page-visit.ts';
import type { SiteCategory } from '../../src/sites/page/site-category.ts';
import type { Outcome } from '../../src/domain/outcome.ts';
import { builder } from '../builder.ts';
import { dataField, listField, SiteResultType } from './site-result.ts';

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

export const CategoriesType = builder.objectRef<Outcome<PageVisit>>('SiteCategories').implement({
  interfaces: [SiteResultType],
  description:
    'The categories that a page declares by a type of schema.org or `og:type`. Nothing is inferred from its text, so ' +
    'most pages have none.',
  fields: (t) => ({
    finalUrl: t.string({
      nullable: true,
      description: 'The URL of the page, after redirects.',
      resolve: dataField(({ finalUrl }: PageVisit) => finalUrl),
    }),
    categories: t.field({
      type: [CategoryType],
      nullable: true,
      description: 'The categories; the first is the primary one. Empty if none is declared.',
      resolve: listField(categoriesOf),
    }),
    title: t.string({
      nullable: true,
      description: 'The title.',
      resolve: dataField(({ document }: PageVisit) => document?.title),
    }),
    description: t.string({
      nullable: true,
      description: 'The description.',
      resolve: dataField((visit: PageVisit) => descriptionOf(visit)),
    }),
    language: t.string({
      nullable: true,
      description: 'The declared language.',
      resolve: dataField(({ document }: PageVisit) => document?.language),
    }),
  }),
});
