import type { IncomingMessage } from 'node:http';

/** Checks that a request has exactly one valid Host header (RFC 9112 section 3.2); HTTP/1.0 does not require one. */
export function hasValidHost({ headers, rawHeaders, httpVersion }: IncomingMessage): boolean {
  if (headers.host === undefined) return httpVersion !== '1.1';
  return hostLine.test(headers.host) && countOfHosts(rawHeaders) === 1;
}

/** `uri-host [":" port]` of RFC 9110 section 7.2: an IP literal in brackets, or a name or IPv4 address, which may be empty. */
const hostLine = /^(?:\[(?:[\da-f:.]+|v[\da-f]+\.[\w.~!$&'()*+,;=:-]+)\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*)(?::\d*)?$/i;

/** Node drops all Host headers but the first from `headers`. */
function countOfHosts(rawHeaders: readonly string[]): number {
  return rawHeaders.filter((name, index) => index % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host').length;
}
