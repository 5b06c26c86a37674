import type { Dispatcher } from 'undici';
import type { ClientOptions } from './client.ts';

type Route = ClientOptions['route'];

/** HTTPS alone; plain `http:` too where the operator lets registries stand in a network of their own. */
export function registryRoute(dispatcher: Dispatcher, allowPlainHttp: boolean): Route {
  return ({ protocol }) => (protocol === 'https:' || (protocol === 'http:' && allowPlainHttp) ? dispatcher : undefined);
}

/** One origin, wherever it is; what it leads to goes by `elsewhere`, or is not followed. */
export function namedRoute(origin: string, dispatcher: Dispatcher, elsewhere: Route = () => undefined): Route {
  return (url) => (url.origin === origin ? dispatcher : elsewhere(url));
}
