import type { SiteExchangeResponse } from '../../http/site-exchange.ts';

type RawHeaders = SiteExchangeResponse['headers'];

const maxHeaders = 100;
const maxHeaderLength = 8000;
const maxCookies = 50;
const maxCookieNameLength = 200;

/** Returns the headers of a response, shortened, without `set-cookie`. */
export function siteHeaders(headers: RawHeaders): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => name !== 'set-cookie' && name.length <= maxHeaderLength)
      .slice(0, maxHeaders)
      .map(([name, value]) => [
        name,
        [value ?? ''].flat().join(separatorOf(name)).slice(0, maxHeaderLength),
      ]),
  );
}

/** Returns what joins repeated lines. In each `x-robots-tag`, a crawler may be named for its rest. */
function separatorOf(name: string): string {
  return name === 'x-robots-tag' ? '\n' : ', ';
}

/** Adds the names of the cookies that a response sets. */
export function addCookieNames(headers: RawHeaders, names: Set<string>): void {
  for (const line of [headers['set-cookie'] ?? []].flat()) {
    const name = line.split(/[=;]/, 1)[0]?.trim().slice(0, maxCookieNameLength) ?? '';
    if (name !== '' && names.size < maxCookies) names.add(name);
  }
}
