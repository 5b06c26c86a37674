/** The header that repeats the version in the path. */
export const apiVersionHeader = { 'x-api-version': '1' } as const;

/** Returns whether a path belongs to the REST API, whether it exists or not. */
export function isApiPath(path: string): boolean {
  return /^\/v1(?:\/|$)/.test(path);
}

/** Returns whether a path belongs to the RDAP endpoint, whether it exists or not. */
export function isRdapPath(path: string): boolean {
  return /^\/rdap(?:\/|$)/.test(path);
}

/**
 * The request headers that responses under `/v1` depend on (RFC 9110 section 12.5.5): those that
 * carry the key, and those that select the form of the body. `Origin` is added where responses
 * depend on it: for CORS, and for keys that are restricted to certain origins.
 *
 * No others are needed. `Host` is part of the URL. Without a key, `AUTH=auto` also reads
 * `Sec-Fetch-Site` and the headers that proxies add, but browsers partition their cache by site,
 * and proxies do not store `private` responses. Problems are `no-store`, and cookies are ignored.
 */
const restVary = 'X-API-Key, Authorization, Accept, Service-Naming';

/** The same for responses under `/rdap`. */
const rdapVary = 'X-API-Key, Authorization, Accept, Accept-Language';

/** Returns the value of `Vary` in every response at a path. */
export function varyAt(path: string): string | undefined {
  if (isApiPath(path) || path === '/probe') return restVary;
  return isRdapPath(path) ? rdapVary : undefined;
}

/** Joins lists of header names without repetitions. Returns undefined if there are none. */
export function joinVary(...lists: readonly (string | undefined)[]): string | undefined {
  const present = lists.filter((list) => list !== undefined);
  // The usual case. This runs for every response.
  if (present.length <= 1) return present[0];

  const names = present.flatMap((list) => list.split(',').map((name) => name.trim()));
  const firstSpelling = (name: string) =>
    names.find((other) => other.toLowerCase() === name.toLowerCase());

  return Array.from(new Set(names.map(firstSpelling))).join(', ');
}
