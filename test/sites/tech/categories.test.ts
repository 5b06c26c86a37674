import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/domain/registration.ts';
import { categoriesOf } from '../../../src/sites/page/categories.ts';
import { failedVisit, pageVisit } from '../../support/bodies/page-visit.ts';

function categories(types: string[], items: Json[] = [], ogType?: string) {
  const metas = ogType === undefined ? [] : [{ key: 'og:type', content: ogType }];
  return categoriesOf(pageVisit({ metas, structuredData: { types, items, parseErrors: 0 } }));
}

describe('the categories of a page', () => {
  it('are none if it declares none, or only types that every page may have', () => {
    expect(categoriesOf(failedVisit())).toEqual([]);
    const generic = ['WebSite', 'WebPage', 'BreadcrumbList', 'ImageObject', 'SearchAction', 'Foo'];
    expect(categories(generic, [], 'website')).toEqual([]);
  });

  it('are those of its types in order, each with its source', () => {
    const items = [{ '@type': 'https://schema.org/Restaurant' }];
    expect(categories(['WebSite', 'Restaurant', 'Product'], items, 'Article')).toEqual([
      { category: 'food', subcategory: 'Restaurant', source: 'json_ld' },
      { category: 'shopping', subcategory: 'Product', source: 'microdata' },
      { category: 'media', subcategory: 'og:article', source: 'og:type' },
    ]);
  });

  it('are those of JSON-LD, also with the prefix www.schema.org', () => {
    const items = [{ '@type': 'https://www.schema.org/Restaurant' }];
    expect(categories(['Restaurant'], items)).toEqual([
      { category: 'food', subcategory: 'Restaurant', source: 'json_ld' },
    ]);
  });

  it('are those of what a page says that it is about', () => {
    const mainEntity = { '@type': 'Restaurant', founder: { '@type': 'Person' } };
    const found = { category: 'food', subcategory: 'Restaurant', source: 'json_ld' };
    for (const type of ['WebPage', 'ItemPage'])
      expect(categories(['Restaurant', 'Person'], [{ '@type': type, mainEntity }])).toEqual([
        found,
      ]);
    expect(categories(['Restaurant'], [{ '@type': 'Thing', mainEntity }])).toEqual([]);
  });

  it('are not those of the author or publisher inside of an item', () => {
    const author = { '@type': 'Person' };
    const items = [{ '@type': 'NewsArticle', author, publisher: [{ '@type': 'Organization' }] }];
    expect(categories(['NewsArticle', 'Person', 'Organization'], items)).toEqual([
      { category: 'news', subcategory: 'NewsArticle', source: 'json_ld' },
    ]);
  });
});
