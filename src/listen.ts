import type { AddressInfo } from 'node:net';
import { ConfigError, type Config } from './config.ts';
import type { HttpServer } from './http/server/http-server.ts';

/** Listens where the configuration says. Throws `ConfigError` where that cannot be. */
export async function listen(server: HttpServer, { HOST, PORT }: Config): Promise<AddressInfo> {
  try {
    return await server.listen(HOST, PORT);
  } catch (error) {
    const taken = ['EADDRINUSE', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '');
    if (taken) throw new ConfigError(`PORT must be a port that is free and that this process may take, got ${PORT}: ${String(error)}`);
    throw new ConfigError(`HOST must be an address of this machine, got ${JSON.stringify(HOST)}: ${String(error)}`);
  }
}

/** Where callers on this machine reach it: a wildcard address is none that they could use. */
export function addressOf(host: string, port: number): string {
  const reachable = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
