import type { Dispatcher } from 'undici';
import type { HttpClientOptions } from './client.ts';

type Route = HttpClientOptions['route'];

/** Accepts `https:`, and plain `http:` where the operator allows registries in the operator's own network. */
export function registryRoute(
  dispatcher: Pick<Dispatcher, 'dispatch'>,
  allowPlainHttp: boolean,
): Route {
  return ({ protocol }) =>
    protocol === 'https:' || (protocol === 'http:' && allowPlainHttp) ? dispatcher : undefined;
}

/** Routes origins that the operator trusts by `named`, and all others, to which redirects and links lead, by `elsewhere` or not at all. */
export function namedRoute(
  isNamed: (origin: string) => boolean,
  named: Route,
  fallback: Route = () => undefined,
): Route {
  return (url) => (isNamed(url.origin) ? named(url) : fallback(url));
}
