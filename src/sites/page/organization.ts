import type { Json, JsonObject } from '../../domain/registration.ts';
import { isObject, stringsOf, typesOf, urlsOf, valuesOf } from './json-ld.ts';
import { isOrganizationType, isPageType } from './schema-types.ts';

const maxOwners = 20;

/**
 * Returns the JSON-LD objects of the organizations behind a page: the publishers of the site, then
 * the items of such a type, then the publishers of the page. Items may also be about others, such as
 * a restaurant in a review.
 */
export function organizationsOf(items: readonly Json[]): readonly JsonObject[] {
  const objects = items.filter(isObject);
  const organizations = [
    ...publishersOf(objects, (type) => type === 'WebSite'),
    ...objects,
    ...publishersOf(objects, isPageType),
  ].filter((item) => hasType(item, isOrganizationType));
  return [...new Set(organizations)].slice(0, maxOwners);
}

/** Returns the publishers of the items of a type: objects, or items by their `@id`. */
function publishersOf(
  objects: readonly JsonObject[],
  isWanted: (type: string) => boolean,
): readonly JsonObject[] {
  return objects
    .filter((item) => hasType(item, isWanted))
    .slice(0, maxOwners)
    .flatMap((item) => valuesOf(item['publisher']))
    .filter(isObject)
    .slice(0, maxOwners)
    .map((publisher) => {
      const id = publisher['@id'];
      const isReference = publisher['@type'] === undefined && typeof id === 'string';
      return (isReference && objects.find((item) => item['@id'] === id)) || publisher;
    });
}

/** Returns the `sameAs` of the organizations, the persons and the site of a page. */
export function sameAsOf(items: readonly Json[]): readonly string[] {
  const others = items
    .filter(isObject)
    .filter((item) => hasType(item, (type) => type === 'Person' || type === 'WebSite'))
    .slice(0, maxOwners);
  return [...organizationsOf(items), ...others].flatMap((item) => urlsOf(item['sameAs']));
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
