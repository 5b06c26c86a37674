import type { IncomingMessage } from 'node:http';
import { isLoopbackAddress, normalizeAddress } from '../ip-address.ts';
import { Problem } from '../domain/problems.ts';
import { parseKey, type ApiKey } from './api-key.ts';
import { isForwarded } from './caller-address.ts';

/** Who needs a key: everybody, nobody, or everybody who is not on this machine. */
export type AuthMode = 'required' | 'open' | 'auto';

/** What of a request tells who sends it. */
export type AuthRequest = Pick<IncomingMessage, 'headersDistinct' | 'url'> & {
  readonly socket: { readonly remoteAddress?: string | undefined };
};

/**
 * The key that a request carries; undefined where it carries none and needs none. A key that is given is always read, whatever `AUTH` says.
 * Throws `missing_api_key`, or `invalid_api_key` for a text that is no key; neither repeats what was sent.
 */
export function extractApiKey(request: AuthRequest, auth: AuthMode): ApiKey | undefined {
  const presented = presentedKeys(request);
  const [text] = presented;
  if (text === undefined) {
    if (keyInUrlPattern.test(request.url ?? ''))
      throw new Problem(
        'missing_api_key',
        `A key in the URL ends up in logs and is not read; ${howToSendKey}`,
      );
    if (auth === 'open' || (auth === 'auto' && isLocal(request))) return undefined;
    throw new Problem('missing_api_key', `This gateway needs a key; ${howToSendKey}`);
  }
  if (presented.some((other) => other !== text))
    throw new Problem('invalid_api_key', 'The request carries two keys that differ; send one.');
  if (text === '') throw new Problem('missing_api_key', `The key is empty; ${howToSendKey}`);
  const key = parseKey(text);
  if (!key)
    throw new Problem(
      'invalid_api_key',
      'The key is mistyped or cut short; copy it again, all of it.',
    );
  return key;
}

/** The header that a 401 carries (RFC 9110, RFC 6750). */
export function wwwAuthenticate({ code }: Problem): Record<string, string> {
  if (code !== 'missing_api_key' && code !== 'invalid_api_key') return {};
  const error = code === 'invalid_api_key' ? ', error="invalid_token"' : '';
  return { 'www-authenticate': `Bearer realm="gateway"${error}` };
}

const howToSendKey = 'send it in the header X-API-Key, or as Authorization: Bearer KEY.';

/** A parameter that people call so, or one of our keys under any name. */
const keyInUrlPattern = /[?&](?:x-)?(?:api[-_]?key|access[-_]token)=|[?&=]rgw_[0-9a-z]{20}/i;

/** What stands where a key belongs. */
function presentedKeys({ headersDistinct }: AuthRequest): readonly string[] {
  const [key, secondKey] = headersDistinct['x-api-key'] ?? [];
  const [authorization, secondAuthorization] = headersDistinct['authorization'] ?? [];
  // Which of two lines counts is something that a proxy may see otherwise.
  if (secondKey !== undefined || secondAuthorization !== undefined) {
    throw new Problem('invalid_api_key', 'The key is sent more than once; send it once.');
  }
  // Clients without a key send an empty header; it counts as none.
  const apiKey = key?.trim() === '' ? undefined : key?.trim();
  return [apiKey, authorization === undefined ? undefined : bearerToken(authorization)].filter(
    (text) => text !== undefined,
  );
}

/** The key in an `Authorization`; undefined for another scheme, which is meant for somebody else on the way. */
function bearerToken(authorization: string): string | undefined {
  const [scheme = '', ...rest] = authorization.trim().split(/ +/);
  if (scheme === '' || scheme.toLowerCase() === 'bearer') return rest.join(' ');
  if (rest.length > 0) return undefined;
  throw new Problem('invalid_api_key', 'The Authorization header must read: Bearer KEY.');
}

/**
 * Returns whether a request was sent from this machine to this machine, neither through a proxy nor for a page of another site nor under a
 * rebound DNS name.
 */
export function isLocal({ headersDistinct, socket }: AuthRequest): boolean {
  const peer = normalizeAddress(socket.remoteAddress ?? '');
  if (peer === undefined || !isLoopbackAddress(peer)) return false;
  if (isForwarded(headersDistinct) || isCrossSite(headersDistinct)) return false;
  const [host, secondHost] = headersDistinct['host'] ?? [];
  const origins = headersDistinct['origin'] ?? [];
  return (
    secondHost === undefined &&
    isLoopbackHost(`http://${host ?? ''}`) &&
    origins.every(isLoopbackHost)
  );
}

/**
 * Returns whether a browser sent a request for a page of another site, in whatever way (`Sec-Fetch-Site`, W3C Fetch Metadata). Programs do not
 * send the header. `same-site` is not cross-site: the site of a loopback host contains loopback hosts only.
 */
export function isCrossSite(headersDistinct: AuthRequest['headersDistinct']): boolean {
  const [site, secondSite] = headersDistinct['sec-fetch-site'] ?? ['none'];
  return secondSite !== undefined || !['same-origin', 'same-site', 'none'].includes(site ?? '');
}

/** Whether the host of an origin is this machine: `localhost`, names under it, loopback addresses. */
function isLoopbackHost(origin: string): boolean {
  if (!/^https?:\/\/[^\s/?#@\\]+$/.test(origin) || !URL.canParse(origin)) return false;
  const { hostname } = new URL(origin);
  const address = normalizeAddress(hostname);
  return address === undefined
    ? /(?:^|\.)localhost\.?$/.test(hostname)
    : isLoopbackAddress(address);
}
