import packageJson from '../../package.json' with { type: 'json' };
import { createClient, type Client } from '../sources/rdap/http/client.ts';
import { createDispatcher } from '../sources/rdap/http/dispatcher.ts';
import { EphemeralPools } from '../sources/rdap/http/ephemeral-pools.ts';
import { namedRoute, registryRoute } from '../sources/rdap/http/origin-routes.ts';
import type { Common } from './common.ts';

/** HTTP clients, each of which connects to no more than it needs. */
export interface Clients {
  /** Registries, and public hosts that they redirect or link to. */
  readonly registries: Client;
  /** The bootstrap document, also on a private address, as the operator names it. */
  readonly bootstrap: Client;
  /** The sandbox registry of this process, and nothing else. */
  sandbox(baseUrl: string): Client;
}

/** At most so many requests are in flight at the sandbox registry. */
export const maxSandboxConnections = 256;

const userAgent = `${packageJson.name}/${packageJson.version}`;

/** Creates the clients. `isNamed` returns whether the bootstrap document or the overrides name an origin. */
export function createClients(
  { config, clock, tracing, parts }: Common,
  isNamed: (origin: string) => boolean,
): Clients {
  const {
    RDAP_ALLOW_PRIVATE: allowPrivate,
    RDAP_CONCURRENCY: connections,
    RDAP_TIMEOUT_MS: connectTimeoutMs,
  } = config;
  const socket = { connections, connectTimeoutMs };
  const named = parts.adopt(createDispatcher({ ...socket, allowPrivate }), (pool) =>
    pool.destroy(),
  );
  const ephemeral = parts.adopt(new EphemeralPools({ ...socket, allowPrivate: false }), (pools) =>
    pools.destroy(),
  );
  const anywhere = parts.adopt(
    createDispatcher({ connections: maxSandboxConnections, connectTimeoutMs, allowPrivate: true }),
    (pool) => pool.destroy(),
  );
  const publicRoute = registryRoute(ephemeral, false);
  const bootstrapRoute = namedRoute(
    isOriginOf(config.RDAP_BOOTSTRAP_URL),
    () => anywhere,
    publicRoute,
  );
  const registryRoutes = namedRoute(isNamed, registryRoute(named, allowPrivate), publicRoute);
  return {
    registries: tracing.client(createClient({ route: registryRoutes, userAgent, clock })),
    bootstrap: createClient({ route: bootstrapRoute, userAgent, clock }),
    sandbox: (baseUrl) =>
      tracing.client(
        createClient({ route: namedRoute(isOriginOf(baseUrl), () => anywhere), userAgent, clock }),
      ),
  };
}

function isOriginOf(url: string): (origin: string) => boolean {
  const expected = new URL(url).origin;
  return (origin) => origin === expected;
}
