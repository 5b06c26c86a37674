import type { Json, JsonObject } from '../../registration.ts';
import { isObject, stringsOf, typesOf, valuesOf } from '../structured-data/json-ld.ts';
import { isOrganizationType } from '../structured-data/schema-types.ts';

const maxOwners = 20;

/**
 * Returns the JSON-LD objects of the organizations behind a page: the items of such a type, then the
 * publishers of the site and the page.
 */
export function organizationsOf(items: readonly Json[]): readonly JsonObject[] {
  const objects = items.filter(isObject);
  const publishers = objects
    .filter((item) => hasType(item, isPageType))
    .flatMap((item) => valuesOf(item['publisher']))
    .filter(isObject);
  return [...objects, ...publishers]
    .filter((item) => hasType(item, isOrganizationType))
    .slice(0, maxOwners);
}

/** Returns the `sameAs` of the organizations, the persons and the site of a page. */
export function sameAsOf(items: readonly Json[]): readonly string[] {
  const others = items
    .filter(isObject)
    .filter((item) => hasType(item, (type) => type === 'Person' || type === 'WebSite'))
    .slice(0, maxOwners);
  return [...organizationsOf(items), ...others].flatMap((item) => stringsOf(item['sameAs']));
}

/** Returns the URLs of the logos: strings, or `ImageObject` with `url` or `contentUrl`. */
export function logosOf(items: readonly Json[]): readonly string[] {
  return organizationsOf(items)
    .flatMap((item) => valuesOf(item['logo']))
    .flatMap((logo) =>
      isObject(logo)
        ? stringsOf(logo['url'] ?? logo['contentUrl'] ?? logo['@id'])
        : stringsOf(logo),
    );
}

function hasType(item: JsonObject, isWanted: (type: string) => boolean): boolean {
  return typesOf(item).some(isWanted);
}

function isPageType(type: string): boolean {
  return type === 'WebSite' || type === 'WebPage';
}
