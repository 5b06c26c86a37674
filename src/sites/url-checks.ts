import { isIP } from 'node:net';
import { Problem } from '../domain/problems.ts';
import { isPublicAddress } from '../outbound/public-address.ts';
import { redirectStatuses } from '../outbound/client.ts';
import type { SiteExchangeResponse } from '../outbound/site-exchange.ts';
import { redirectProblem } from './site-problems.ts';

/** Returns the `Location` of a redirect; undefined for every other response. */
export function locationOf(
  status: number,
  headers: SiteExchangeResponse['headers'],
): string | undefined {
  return redirectStatuses.has(status) ? [headers['location'] ?? []].flat()[0] : undefined;
}

/** Throws `site_blocked` unless a URL may be requested. */
export function checkUrl(url: URL): void {
  const refusal = refusalOf(url);
  if (refusal) throw new Problem('site_blocked', `${shown(url)} ${refusal}.`);
}

function refusalOf(url: URL): string | undefined {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'is not an HTTP URL';
  if (url.username || url.password) return 'has a user name or password';
  const address = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(address) && !isPublicAddress(address)) return 'is not a public address';
  // Only default ports: `http:` at port 443 would send plain HTTP to a TLS server, and vice versa.
  return url.port === '' ? undefined : 'has a port that is not read';
}

/**
 * Returns the URL that a redirect leads to. Throws `site_blocked` if it may not be requested or
 * downgrades to plain HTTP, and `site_unreachable` if it is invalid.
 */
export function redirectTarget(from: URL, location: string): URL {
  // Servers send raw UTF-8, which the HTTP parser decodes as Latin-1.
  const text = Buffer.from(location, 'latin1').toString('utf8');
  if (text.length > 2048 || !URL.canParse(text, from.href))
    throw redirectProblem(from, 'redirects to an invalid URL');
  const to = new URL(text, from);
  to.hash = '';
  checkUrl(to);
  if (from.protocol === 'https:' && to.protocol === 'http:')
    throw new Problem('site_blocked', `${from.host} redirects from https: to http:.`);
  return to;
}

function shown({ protocol, host, href }: URL): string {
  return (host ? `${protocol}//${host}` : href).slice(0, 200);
}
