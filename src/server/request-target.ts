import type { IncomingMessage } from 'node:http';

interface RequestTarget {
  /** Normalized as by a URL parser; empty if the target has none. */
  readonly path: string;
  readonly query: URLSearchParams;
}

/** Parses the target of a request like a URL parser. Does not use `Host`. */
export function readTarget(url: string): RequestTarget {
  const [, path, query] = plainTarget.exec(url) ?? [];
  if (path !== undefined) return { path, query: new URLSearchParams(query) };
  // The origin is prepended rather than passed as the base: `//x` would be parsed as a host.
  const target = URL.parse(url.startsWith('/') ? `http://gateway.invalid${url}` : url);
  return { path: target?.pathname ?? '', query: target?.searchParams ?? new URLSearchParams() };
}

/** Returns the path of a target without normalizing it, which is enough to recognize an API. */
export function rawPath(url: string): string {
  const queryIndex = url.indexOf('?');
  return queryIndex === -1 ? url : url.slice(0, queryIndex);
}

/**
 * Matches a target that a URL parser would not change: no dots, no percent-encoding, no fragment.
 * Parsing takes ten times longer.
 */
const plainTarget = /^(\/[\w/-]*)(?:\?([^#]*))?$/;

/**
 * Returns whether a request has exactly one valid Host header (RFC 9112 section 3.2). HTTP/1.0 does
 * not require one.
 */
export function hasValidHost({ headers, rawHeaders, httpVersion }: IncomingMessage): boolean {
  if (headers.host === undefined) return httpVersion !== '1.1';
  return hostPattern.test(headers.host) && hostHeaderCount(rawHeaders) === 1;
}

/**
 * `uri-host [":" port]` (RFC 9110 section 7.2): an IP literal in brackets, or a name or IPv4
 * address, which may be empty.
 */
const hostPattern =
  /^(?:\[(?:[\da-f:.]+|v[\da-f]+\.[\w.~!$&'()*+,;=:-]+)\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*)(?::\d*)?$/i;

/** Counts in `rawHeaders`: `headers` contains only the first Host header. */
function hostHeaderCount(rawHeaders: readonly string[]): number {
  return rawHeaders.filter(
    (name, index) => index % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host',
  ).length;
}
