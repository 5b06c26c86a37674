import type { JsonObject } from '../../domain/registration.ts';
import table from './category-table.json' with { type: 'json' };
import type { PageDocument, PageVisit } from './page-visit.ts';
import { isObject, nestedTypes, typesOf, valuesOf, categoryOfType, isPageType } from './json-ld.ts';

/** A category that a page declares by a type of schema.org or by `og:type`. */
export interface SiteCategory {
  /** Such as `business`; derived from the declared type by a table. */
  readonly category: string;
  /** The declared type, such as `Restaurant` or `og:article`. */
  readonly subcategory: string;
  /** What declares it: `json_ld`, `microdata` or `og:type`. */
  readonly source: string;
}

const maxCategories = 50;

/** The types of the Open Graph protocol that say what a page is about; `website` does not. */
const openGraphCategories = new Map(Object.entries(table.openGraph));

/**
 * Returns the categories that a page declares, at most 50: by its structured data in order of
 * appearance, then by `og:type`. The first is the primary one. Nothing is inferred from the text.
 */
export function categoriesOf({ document }: PageVisit): readonly SiteCategory[] {
  if (!document) return [];
  return [...schemaCategories(document), ...openGraphCategory(document)].slice(0, maxCategories);
}

function schemaCategories({ structuredData }: PageDocument): readonly SiteCategory[] {
  const items = structuredData.items.filter(isObject);
  const itemTypes = new Set([...items, ...items.flatMap(mainEntitiesOf)].flatMap(typesOf));
  const innerTypes = nestedTypes(structuredData.items);

  return [...new Set(structuredData.types)].flatMap((type) => {
    const category = categoryOfType(type);
    if (category === undefined) return [];
    if (itemTypes.has(type)) return [{ category, subcategory: type, source: 'json_ld' }];
    // The author of an article or the publisher of a page is not what the page is about.
    if (innerTypes.has(type)) return [];
    return [{ category, subcategory: type, source: 'microdata' }];
  });
}

/** Returns what a page says that it is about. */
function mainEntitiesOf(item: JsonObject): readonly JsonObject[] {
  return typesOf(item).some(isPageType) ? valuesOf(item['mainEntity']).filter(isObject) : [];
}

function openGraphCategory({ metas }: PageDocument): readonly SiteCategory[] {
  const type = metas
    .find(({ key }) => key === 'og:type')
    ?.content.trim()
    .toLowerCase();
  const category = type === undefined ? undefined : openGraphCategories.get(type);
  return category === undefined ? [] : [{ category, subcategory: `og:${type}`, source: 'og:type' }];
}
