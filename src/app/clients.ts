import packageJson from '../../package.json' with { type: 'json' };
import { createHttpClient } from '../outbound/client.ts';
import { configuredRoute, namedRoute, registryRoute } from '../outbound/routes.ts';
import { createDispatcher, ephemeralKeepAliveMs } from '../outbound/dispatcher.ts';
import type { Common } from './common.ts';
import { outboundProxy } from './settings.ts';

export type Clients = ReturnType<typeof createClients>;

/** Maximum requests in flight at the sandbox registry. */
export const maxSandboxConnections = 256;

export const userAgent = `${packageJson.name}/${packageJson.version}`;

/**
 * Creates HTTP clients, each limited to the hosts that it needs. `isNamed` returns whether the
 * bootstrap document or the overrides name an origin.
 */
export function createClients(
  { config, clock, tracing, disposables }: Common,
  isNamed: (origin: string) => boolean,
) {
  const {
    RDAP_ALLOW_PRIVATE: allowPrivate,
    RDAP_CONCURRENCY: connections,
    RDAP_TIMEOUT_MS: connectTimeoutMs,
  } = config;
  const proxy = outboundProxy(config);
  const socket = { connections, connectTimeoutMs };
  const dispatcher = (options: Parameters<typeof createDispatcher>[0]) =>
    disposables.adopt(createDispatcher(options), (sockets) => sockets.destroy());
  const namedOnly = dispatcher({ ...socket, allowPrivate, proxy });
  const ephemeral = dispatcher({
    ...socket,
    allowPrivate: false,
    keepAliveMs: ephemeralKeepAliveMs,
  });
  const unrestricted = dispatcher({
    ...socket,
    allowPrivate: true,
    connections: maxSandboxConnections,
  });

  // Behind a proxy, the addresses of other hosts cannot be checked.
  const publicRoute = proxy ? () => undefined : registryRoute(ephemeral, false);
  const bootstrap = proxy ? dispatcher({ ...socket, allowPrivate: true, proxy }) : unrestricted;
  const bootstrapRoute = namedRoute(
    isOriginOf(config.RDAP_BOOTSTRAP_URL),
    () => bootstrap,
    publicRoute,
  );
  const issuerRoute = namedRoute(
    isOriginOf(config.MCP_OAUTH_ISSUER),
    () => bootstrap,
    proxy ? registryRoute(bootstrap, false) : publicRoute,
  );
  const registryRoutes = namedRoute(isNamed, configuredRoute(namedOnly, allowPrivate), publicRoute);
  const sandboxRoute = (baseUrl: string) => namedRoute(isOriginOf(baseUrl), () => unrestricted);

  return {
    /** Where requests to registries and to the sandbox may be sent. */
    routes: { registries: registryRoutes, sandbox: sandboxRoute },
    /** Reaches registries, and public hosts that they redirect or link to. */
    registries: tracing.client(createHttpClient({ route: registryRoutes, userAgent, clock })),
    /** Reaches the bootstrap document, also at a private address, because the operator names it. */
    bootstrap: createHttpClient({ route: bootstrapRoute, userAgent, clock }),
    /** Reaches the issuer of access tokens, also at a private address, and its keys at a public one. */
    issuer: createHttpClient({ route: issuerRoute, userAgent, clock }),
    /** Reaches the sandbox registry only. */
    sandbox: (baseUrl: string) =>
      tracing.client(createHttpClient({ route: sandboxRoute(baseUrl), userAgent, clock })),
  };
}

function isOriginOf(url: string | undefined): (origin: string) => boolean {
  const expected = url && new URL(url).origin;
  return (origin) => origin === expected;
}
