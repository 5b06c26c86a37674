import { isApiPath } from './api-version.ts';

/**
 * The request headers that responses under `/v1` depend on (RFC 9110 section 12.5.5): those that carry the key, and those that select the form
 * of the body. `Origin` is added where it decides: by CORS, and for keys that work from certain origins only.
 *
 * Others need not be named. `Host` is a part of the URL. Without a key, `AUTH=auto` also reads `Sec-Fetch-Site` and what proxies add, but
 * browsers have a separate cache for each site, and proxies do not store `private` responses. Problems are `no-store`, and no cookie is read.
 */
export const restVary = 'X-API-Key, Authorization, Accept, Service-Naming';

/** Returns what `Vary` names in every response at a path. */
export function varyAt(path: string): string | undefined {
  return isApiPath(path) ? restVary : undefined;
}

/** Joins lists of header names into one that has each name once. Returns undefined if there are none. */
export function joinVary(...lists: readonly (string | undefined)[]): string | undefined {
  const present = lists.filter((list) => list !== undefined);
  // The usual case, for every response.
  if (present.length <= 1) return present[0];
  const names = present.flatMap((list) => list.split(/\s*,\s*/));
  const firstSpelling = (name: string) =>
    names.find((other) => other.toLowerCase() === name.toLowerCase());
  return Array.from(new Set(names.map(firstSpelling))).join(', ');
}
