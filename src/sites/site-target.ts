import { getDomain } from 'tldts';
import { parseDomainName, type DomainName } from '../domain/names/domain-name.ts';
import { invalidParameter, missingParameter, Problem } from '../domain/problems.ts';
import { quoted } from '../shared/printable.ts';

/** A page to read, or the home page of a site. */
export interface SiteTarget {
  /** The name of the site, in A-labels. */
  readonly host: DomainName;
  /** The page to read first, without a fragment. */
  readonly url: URL;
  /**
   * Whether the caller named the URL. Otherwise `url` is the home page over HTTPS, and plain HTTP is
   * tried if no TLS connection can be established.
   */
  readonly isExact: boolean;
}

const maxUrlLength = 2048;

/** Parses a host name as the home page of its site. Throws `invalid_name`. */
export function parseSiteHost(input: string): SiteTarget {
  if (input.trim() === '') throw missingParameter('host');
  return homePageOf(parseDomainName(input, 'host'));
}

export function homePageOf(host: DomainName): SiteTarget {
  return { host, url: new URL(`https://${host}/`), isExact: false };
}

/**
 * Parses the host name of a site or the URL of a page. Throws `invalid_parameter` unless exactly one
 * is given and the URL is valid, and `invalid_name` for an invalid host name.
 */
export function parseSiteTarget(
  host: string | null | undefined,
  url: string | null | undefined,
): SiteTarget {
  if (typeof url === 'string' && typeof host !== 'string') return parseSiteUrl(url);
  if (typeof host === 'string' && typeof url !== 'string') return parseSiteHost(host);
  throw invalidParameter('host', 'Pass either `host` or `url`.');
}

/** Returns a page by a URL that was found on a site. Its host may be an IP address. */
export function pageAt(url: URL): SiteTarget {
  return { host: url.hostname as DomainName, url, isExact: true };
}

/**
 * Parses the URL of a page. Throws `invalid_parameter` unless it is an `http:` or `https:` URL of a
 * host name, with the default port and without user name and password.
 */
export function parseSiteUrl(input: string): SiteTarget {
  const text = input.trim();
  if (text.length > maxUrlLength)
    throw invalidUrl(`is longer than ${maxUrlLength} characters`, text);
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text))
    throw invalidUrl('is not an http: or https: URL', text);

  const url = new URL(text);
  if (url.username || url.password) throw invalidUrl('has a user name or password', text);
  if (url.port) throw invalidUrl('has a port other than the default one of its scheme', text);

  url.hash = '';
  try {
    const host = parseDomainName(url.hostname);
    url.hostname = host;
    return { host, url, isExact: true };
  } catch (cause) {
    throw invalidUrl('has no domain name as its host, such as www.example.com', text, cause);
  }
}

/**
 * Returns the part of a host that decides what belongs to the same site. It is not the registrable
 * domain: the names under it may be other sites.
 */
export function withoutWww(host: string): string {
  return host.replace(/^www\./, '');
}

function invalidUrl(reason: string, text: string, cause?: unknown): Problem {
  return new Problem('invalid_parameter', `${quoted(text, 200)} ${reason}.`, {
    param: 'url',
    cause,
  });
}

/**
 * Returns the registrable domain of a host; the host itself for an IP address or a public suffix.
 * Private suffixes such as `github.io` count, because the sites below them have different owners: a
 * slow one must not delay the others.
 */
export function registrableDomain(host: string): string {
  return getDomain(host, { allowPrivateDomains: true }) ?? host;
}
