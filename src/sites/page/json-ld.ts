import type { Json, JsonObject } from '../../domain/registration.ts';
import table from './category-table.json' with { type: 'json' };

const maxDepth = 10;
const maxNodes = 5000;
/** Of types, or of values of a member, that are read from one object. */
const maxValues = 100;

/** Returns whether a value is a JSON object: not null and not a list. */
export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the types of a JSON-LD object without the prefix of schema.org. */
export function typesOf(item: JsonObject): readonly string[] {
  return stringsOf(item['@type']).map(schemaTypeName);
}

/** Returns a type without the prefix of schema.org: its URL or `schema:`. */
export function schemaTypeName(type: string): string {
  return type.replace(/^(?:https?:\/\/(?:www\.)?schema\.org\/|schema:)/i, '');
}

/** Returns the values of a member that may be one value, or a list of values. */
export function valuesOf(value: Json | undefined): readonly Json[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value.slice(0, maxValues) : [value as Json];
}

/** Returns the strings of a member: strings, and objects with `@value` (JSON-LD 1.1). */
export function stringsOf(value: Json | undefined): readonly string[] {
  return valuesOf(value).flatMap((one) => {
    const text = isObject(one) ? one['@value'] : one;
    return typeof text === 'string' ? [text] : [];
  });
}

/** Returns the URLs of a member: strings, and objects with `@id` or `url`. */
export function urlsOf(value: Json | undefined): readonly string[] {
  return valuesOf(value).flatMap((one) =>
    stringsOf(isObject(one) ? (one['@value'] ?? one['@id'] ?? one['url']) : one).slice(0, 1),
  );
}

/** Returns the types of the objects inside of items, at most ten levels deep. */
export function nestedTypes(items: readonly Json[]): ReadonlySet<string> {
  const types = new Set<string>();
  const pending = items.filter(isObject).flatMap((item) => entriesBelow(item, 0));
  for (let index = 0; index < pending.length && index < maxNodes; index += 1) {
    const node = pending[index];
    if (!node) break;
    if (isObject(node.value)) for (const type of typesOf(node.value)) types.add(type);
    if (node.depth < maxDepth && pending.length < maxNodes)
      pending.push(...entriesBelow(node.value, node.depth + 1));
  }
  return types;
}

interface Node {
  readonly value: Json;
  readonly depth: number;
}

function entriesBelow(value: Json, depth: number): readonly Node[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value)
    .slice(0, maxValues)
    .map((below) => ({ value: below, depth }));
}

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
