import { readFile } from 'node:fs/promises';
import { ConfigError } from '../config.ts';
import type { HostPort } from '../domain/host-port.ts';
import type { SiteAddresses, SiteSettings } from '../sites/site-settings.ts';
import type { SiteServer, SiteServerOf } from '../outbound/site-server.ts';
import type { LazySandboxSites } from './lazy-sandbox-sites.ts';

interface ServersByPort {
  readonly 80: SiteServer | 'none';
  readonly 443: SiteServer | 'none';
}

/**
 * Returns a function that finds the servers of the sandbox and of the sites in the sources file.
 * Rejects with `ConfigError` if the certificates of a site cannot be read.
 */
export async function siteServers(
  { sites }: SiteSettings,
  sandbox: LazySandboxSites | undefined,
): Promise<SiteServerOf> {
  const servers = new Map<string, ServersByPort>();
  for (const [host, addresses] of sites) servers.set(host, await serversOf(addresses));
  return (host, port) =>
    sandbox?.serves(host) ? sandbox.serverOf(host, port) : servers.get(host)?.[port];
}

async function serversOf({ http, https, caFile }: SiteAddresses): Promise<ServersByPort> {
  const ca = caFile === undefined ? undefined : await readCa(caFile);
  const server = (address: HostPort | undefined) =>
    address
      ? { address: address.host, port: address.port, ...(ca !== undefined && { ca }) }
      : 'none';
  return { 80: server(http), 443: server(https) };
}

async function readCa(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new ConfigError(
      `SOURCES_FILE names the certificates ${JSON.stringify(path)}, which cannot be read. ${String(error)}`,
    );
  }
}
