import table from './category-table.json' with { type: 'json' };

/**
 * The types of schema.org that declare what a site is about. Types that every site may have, such as
 * `WebSite`, `BreadcrumbList` or `ImageObject`, are not in it.
 */
const rows = table.schemaTypes.flatMap(({ types, ...row }) =>
  types.split(' ').map((type) => ({ type, ...row })),
);
const categoryByType = new Map(rows.map(({ type, category }) => [type, category]));
const organizationTypes = new Set(
  rows.filter(({ isOrganization }) => isOrganization).map(({ type }) => type),
);

/** `WebPage` and the types below it, which are about their `mainEntity`. */
const pageTypes = new Set(table.pageTypes.split(' '));

/** Returns whether things of a schema.org type are pages. */
export function isPageType(type: string): boolean {
  return pageTypes.has(type);
}

/** Returns the category of a schema.org type; undefined for a type that says nothing, or is unknown. */
export function categoryOfType(type: string): string | undefined {
  return categoryByType.get(type);
}

/** Returns whether things of a schema.org type are organizations. */
export function isOrganizationType(type: string): boolean {
  return organizationTypes.has(type);
}
