import type { Dispatcher } from 'undici';
import { Problem } from '../domain/problems.ts';
import type { Route } from './client.ts';

/** Returns a route that accepts `https:`, and plain `http:` if `allowPlainHttp`. */
export function registryRoute(
  dispatcher: Pick<Dispatcher, 'dispatch'>,
  allowPlainHttp: boolean,
): Route {
  return ({ protocol }) =>
    protocol === 'https:' || (protocol === 'http:' && allowPlainHttp) ? dispatcher : undefined;
}

/**
 * Returns a route for the servers that the operator names. Throws a `Problem` for plain `http:`
 * unless it is allowed, because only a setting can change this.
 */
export function configuredRoute(
  dispatcher: Pick<Dispatcher, 'dispatch'>,
  allowPlainHttp: boolean,
): Route {
  const route = registryRoute(dispatcher, allowPlainHttp);
  return (url) => {
    if (url.protocol === 'http:' && !allowPlainHttp)
      throw new Problem(
        'registry_error',
        `${url.host} is a server with plain http:, which is not queried unless RDAP_ALLOW_PRIVATE=true.`,
        { isPermanent: true },
      );
    return route(url);
  };
}

/**
 * Returns a route that uses `named` for the origins that the operator configured, and `fallback`
 * for the targets of redirects and links.
 */
export function namedRoute(
  isNamed: (origin: string) => boolean,
  named: Route,
  fallback: Route = () => undefined,
): Route {
  return (url) => (isNamed(url.origin) ? named(url) : fallback(url));
}
