import { pageOf, type Page, type PageKey, type PageRequest } from '../pages.ts';

/** Returns a page of disposable mail domains. Throws `invalid_parameter` for an invalid cursor. */
export function pageOfDisposableMail(
  domains: readonly string[],
  request: PageRequest,
): Page<string> {
  return pageOf(domains, request, domainKey);
}

const domainKey: PageKey<string> = {
  positionOf: (domain) => domain,
  isAfter: (position) =>
    /^[a-z0-9.-]{1,253}$/.test(position) ? (domain) => domain > position : undefined,
};
