import { withoutEmailAddresses } from './page/page-text.ts';
import type { SiteExchangeResponse } from '../outbound/site-exchange.ts';

type RawHeaders = SiteExchangeResponse['headers'];

const maxHeaders = 100;
const maxHeaderLength = 8000;
const maxCookies = 50;
const maxCookieNameLength = 200;

/** Returns the headers of a response, shortened, without cookies and e-mail addresses. */
export function siteHeaders(headers: RawHeaders): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !/^set-cookie2?$/.test(name) && name.length <= maxHeaderLength)
      .slice(0, maxHeaders)
      .map(([name, value]) => {
        // A name of a crawler in an `x-robots-tag` applies to the rest of its line only.
        const separator = name === 'x-robots-tag' ? '\n' : ', ';
        const text = withoutEmailAddresses([value ?? ''].flat().join(separator));
        return [name, text.slice(0, maxHeaderLength)];
      }),
  );
}

/** Returns the media type of a response in lower case, without parameters; empty if absent. */
export function mediaTypeOf(headers: Readonly<Record<string, string>>): string {
  return (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** Adds the names of the cookies that a response sets. */
export function addCookieNames(headers: RawHeaders, names: Set<string>): void {
  for (const line of [headers['set-cookie'] ?? []].flat()) {
    const name = line.split(/[=;]/, 1)[0]?.trim().slice(0, maxCookieNameLength) ?? '';
    if (name !== '' && names.size < maxCookies) names.add(name);
  }
}
