import type { Dispatcher } from 'undici';
import type { HttpClientOptions } from './client.ts';

type OriginRoute = HttpClientOptions['route'];

/** Returns a route that accepts `https:`, and plain `http:` if `allowPlainHttp`. */
export function registryRoute(
  dispatcher: Pick<Dispatcher, 'dispatch'>,
  allowPlainHttp: boolean,
): OriginRoute {
  return ({ protocol }) =>
    protocol === 'https:' || (protocol === 'http:' && allowPlainHttp) ? dispatcher : undefined;
}

/**
 * Returns a route that uses `named` for the origins that the operator configured, and `fallback`
 * for the targets of redirects and links.
 */
export function namedRoute(
  isNamed: (origin: string) => boolean,
  named: OriginRoute,
  fallback: OriginRoute = () => undefined,
): OriginRoute {
  return (url) => (isNamed(url.origin) ? named(url) : fallback(url));
}
