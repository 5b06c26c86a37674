import type { AddressInfo } from 'node:net';
import { ConfigError, type Config } from '../config.ts';
import { InProcessExecutor } from '../http/graphql/in-process.ts';
import { HttpServer } from '../http/server/http-server.ts';
import { MountedServer } from '../http/server/mounted-server.ts';
import type { Common } from './common.ts';
import type { HttpApi } from './http.ts';

/**
 * Grace period of requests in flight; closing the other parts takes the rest of the ten seconds.
 */
const graceMs = 9500;
const maxPort = 65_535;

/**
 * Starts a server for the API. Rejects with `ConfigError` if it cannot listen at the configured
 * address.
 */
export async function listen({ config, disposables }: Common, api: HttpApi) {
  const server = disposables.adopt(new HttpServer(api), (open) => open.stop(graceMs));
  const { port } = await listenAt(server, config);
  api.baseUrl ||= urlOf(config.HOST, port);
  return { server, port };
}

/**
 * Prepares the API for a server that is not the gateway's own, at `HOST` and `PORT` unless
 * `BASE_URL` is set, and for operations of this process.
 */
export function mount({ config, disposables }: Common, api: HttpApi) {
  api.baseUrl ||= urlOf(config.HOST, config.PORT);
  const server = disposables.adopt(new MountedServer(api), (mounted) => mounted.stop(graceMs));
  const executor = new InProcessExecutor({
    ...api,
    allowIntrospection: config.INTROSPECTION,
  });
  return { server, executor };
}

async function listenAt(server: HttpServer, { HOST, PORT }: Config): Promise<AddressInfo> {
  try {
    return await server.listen(HOST, PORT);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') {
      const other = PORT < maxPort ? PORT + 1 : PORT - 1;
      throw new ConfigError(`Port ${PORT} is in use; try PORT=${other}.`, 1);
    }
    if (code === 'EACCES')
      throw new ConfigError(
        `PORT ${PORT} is not permitted. Set PORT to another port; PORT=0 picks a free one. ${String(error)}`,
      );
    throw new ConfigError(
      `HOST must be an address of this machine, got ${JSON.stringify(HOST)}. ${String(error)}`,
    );
  }
}

/** Returns the URL for clients on this machine; `localhost` replaces a wildcard address. */
function urlOf(host: string, port: number): string {
  const reachable = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
