/** The header that repeats the version in the path. */
export const apiVersionHeader = { 'x-api-version': '1' } as const;

/** Returns whether a path belongs to the REST API, whether it exists or not. */
export function isApiPath(path: string): boolean {
  return /^\/v1(?:\/|$)/.test(path);
}
