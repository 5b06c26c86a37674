import { redactKeys } from '../../accounts/api-key.ts';

/** The media type of all responses (RFC 7480 section 4.2). */
export const rdapJson = 'application/rdap+json';

/** Returns whether a path belongs to the RDAP endpoint, whether it exists or not. */
export function isRdapPath(path: string): boolean {
  return /^\/rdap(?:\/|$)/.test(path);
}

/** Returns the URL of the response at a path, for links. API keys are redacted. */
export function responseUrl(baseUrl: string, path: string): string {
  return baseUrl + redactKeys(path);
}
