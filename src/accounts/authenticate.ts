import type { IncomingMessage } from 'node:http';
import { isLoopbackAddress, normalizeAddress } from '../domain/names/ip-address.ts';
import { Problem } from '../domain/problems.ts';
import { parseKey, type ApiKey } from './api-key.ts';
import { isForwarded } from './caller-address.ts';

/** Which requests need a key: all, none, or those that are not local. */
export type AuthMode = 'required' | 'open' | 'auto';

/** How a path accepts keys. `basic`: required, also as the password of Basic authentication. */
export type KeyRule = AuthMode | 'basic';

/** The parts of a request that authentication reads. */
export type AuthRequest = Pick<IncomingMessage, 'headersDistinct' | 'url'> & {
  readonly socket: { readonly remoteAddress?: string | undefined };
};

/**
 * Returns what a request sends as its key, an API key or an access token, or undefined if it sends
 * none and needs none. What is sent is always checked, whatever `AUTH` is set to. Throws
 * `missing_api_key` or `invalid_api_key`; neither repeats the key.
 */
export function extractCredential(request: AuthRequest, auth: KeyRule): string | undefined {
  const presented = presentedKeys(request, auth === 'basic');
  const [text] = presented;
  if (text === undefined) {
    if (keyInUrlPattern.test(request.url ?? ''))
      throw new Problem(
        'missing_api_key',
        `API keys in the URL are ignored because they end up in logs. ${howToSendKey}`,
      );
    if (auth === 'open' || (auth === 'auto' && isLocal(request))) return undefined;

    const requests = auth === 'auto' ? remoteRequests(request) : '';
    const detail = `This gateway requires an API key${requests}. ${howToSendKey}`;
    throw new Problem('missing_api_key', detail);
  }

  if (presented.some((other) => other !== text))
    throw new Problem(
      'invalid_api_key',
      'The request contains two different API keys. Send only one.',
    );
  if (text === '') throw new Problem('missing_api_key', `The API key is empty. ${howToSendKey}`);

  return text;
}

/** Reads a key. Throws `invalid_api_key` for one that is malformed; the message does not repeat it. */
export function readKey(text: string): ApiKey {
  const key = parseKey(text);
  if (key) return key;
  throw new Problem(
    'invalid_api_key',
    'The API key is malformed or truncated. Copy the complete key again.',
  );
}

/**
 * Returns the headers of a 401 response (RFC 9110 section 11.6.1, RFC 6750 section 3).
 * `metadataUrl`: where the metadata of the resource says how to log in (RFC 9728 section 5.1).
 */
export function wwwAuthenticate({ code }: Problem, metadataUrl?: string): Record<string, string> {
  if (code !== 'missing_api_key' && code !== 'invalid_api_key') return {};
  const error = code === 'invalid_api_key' ? ', error="invalid_token"' : '';
  const metadata = metadataUrl === undefined ? '' : `, resource_metadata="${metadataUrl}"`;
  return { 'www-authenticate': `Bearer realm="gateway"${error}${metadata}` };
}

/** Returns the headers of a 401 response for which browsers ask for a key (RFC 7617 section 2). */
export function basicChallenge({ status }: Problem): Record<string, string> {
  return status === 401 ? { 'www-authenticate': 'Basic realm="API key as password"' } : {};
}

const howToSendKey = 'Send the key in the X-API-Key header, or as "Authorization: Bearer KEY".';

/** A parameter with a common name for keys, or one of our keys in any parameter. */
const keyInUrlPattern = /[?&](?:x-)?(?:api[-_]?key|access[-_]token)=|[?&=]rgw_[0-9a-z]{20}/i;

/** Returns the texts sent as a key, which may not be valid keys. */
function presentedKeys({ headersDistinct }: AuthRequest, acceptsBasic: boolean): readonly string[] {
  const [key, secondKey] = headersDistinct['x-api-key'] ?? [];
  const [authorization, secondAuthorization] = headersDistinct['authorization'] ?? [];

  // With repeated headers, a proxy may use a different one than the gateway.
  if (secondKey !== undefined || secondAuthorization !== undefined) {
    throw new Problem(
      'invalid_api_key',
      'The request repeats a header that contains the API key. Send it once.',
    );
  }

  // Some clients without a key send an empty header.
  const apiKey = key?.trim() === '' ? undefined : key?.trim();
  const token = authorization === undefined ? undefined : bearerToken(authorization);

  // A proxy in front of the gateway may use Basic authentication itself, and add the key.
  const password = acceptsBasic && apiKey === undefined ? basicPassword(authorization) : undefined;
  return [apiKey, token, password].filter((text) => text !== undefined);
}

/** Returns the password of an `Authorization` header with the scheme `Basic` (RFC 7617 section 2). */
function basicPassword(authorization = ''): string | undefined {
  const [, encoded = ''] = /^basic +(\S+)$/i.exec(authorization.trim()) ?? [];
  return /:(.*)$/.exec(Buffer.from(encoded, 'base64').toString())?.[1];
}

/**
 * Returns the key of an `Authorization` header, or undefined for another scheme, which is meant for
 * a proxy in front of the gateway.
 */
function bearerToken(authorization: string): string | undefined {
  const [scheme = '', ...rest] = authorization.trim().split(/ +/);
  if (scheme === '' || scheme.toLowerCase() === 'bearer') return rest.join(' ');
  if (rest.length > 0) return undefined;
  throw new Problem('invalid_api_key', 'The Authorization header must have the form "Bearer KEY".');
}

/**
 * Returns whether a request comes directly from this machine: not through a proxy, not from a page
 * of another site and not under a rebound DNS name.
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

/** Returns for which requests a key is required, if a request is not local because of its headers. */
function remoteRequests({ headersDistinct, socket }: AuthRequest): string {
  if (!isLoopbackAddress(normalizeAddress(socket.remoteAddress ?? '') ?? '')) return '';
  if (isForwarded(headersDistinct)) return ' for requests through a proxy';
  const { origin = [] } = headersDistinct;
  return isCrossSite(headersDistinct) || !origin.every(isLoopbackHost)
    ? ' for requests from pages of other sites'
    : '';
}

/**
 * Returns whether a browser sent a request on behalf of another site, in any way (`Sec-Fetch-Site`,
 * W3C Fetch Metadata). Other clients do not send the header. `same-site` is not cross-site: the
 * site of a loopback host contains only loopback hosts.
 */
export function isCrossSite(headersDistinct: AuthRequest['headersDistinct']): boolean {
  const [site, secondSite] = headersDistinct['sec-fetch-site'] ?? ['none'];
  return secondSite !== undefined || !['same-origin', 'same-site', 'none'].includes(site ?? '');
}

/** Returns whether an origin's host is `localhost`, a name under it or a loopback address. */
function isLoopbackHost(origin: string): boolean {
  if (!/^https?:\/\/[^\s/?#@\\]+$/.test(origin) || !URL.canParse(origin)) return false;
  const { hostname } = new URL(origin);
  const address = normalizeAddress(hostname);
  return address === undefined
    ? /(?:^|\.)localhost\.?$/.test(hostname)
    : isLoopbackAddress(address);
}
