import { AsyncDisposableStack } from '@whatwg-node/disposablestack';
import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { ConfigError, type Config } from '../config.ts';
import type { Extension } from '../domain/extension.ts';
import type { HostPort } from '../domain/names/ip-address.ts';
import type { SiteServer, SiteServerOf } from '../outbound/dispatcher.ts';
import { openSites } from '../sites/open-sites.ts';
import {
  noSiteSettings,
  parseSiteSettings,
  type SiteAddresses,
  type SiteSettings,
} from '../sites/site-settings.ts';
import type { Common } from './common.ts';
import { isReachable, outboundProxy, readSetting } from './settings.ts';
import { reasonOf } from '../shared/reason-of.ts';

interface ServersByPort {
  readonly 80: SiteServer | 'none';
  readonly 443: SiteServer | 'none';
}

/** Builds the lookups of sites. Rejects with `ConfigError` if a file is invalid. */
export async function buildSites({
  config,
  clock,
  instruments,
  disposables,
}: Common): Promise<Extension> {
  const { BASE_URL, DOCS_URL } = config;
  const settings = await readSetting(
    'SOURCES_FILE',
    config.SOURCES_FILE,
    (document) => parseSiteSettings(document, config.RDAP_ALLOW_PRIVATE),
    noSiteSettings,
  );

  return openSites({
    clock,
    disposables: disposables.use(new AsyncDisposableStack()),
    serverOf: await siteServers(settings),
    resolvers: settings.resolvers,
    hasSandbox: config.SANDBOX,
    docsUrl: DOCS_URL ?? (BASE_URL && `${BASE_URL}/docs`),
    searchUrl: config.CT_SEARCH_URL,
    proxy: outboundProxy(config),
    connectTimeoutMs: config.RDAP_TIMEOUT_MS,
    contactsSites: config.SITE_LOOKUPS,
    isReachable: isReachable(config, 'sites'),
    mailFile: await readMailFile(config),
    onOutcome: instruments.site,
  });
}

/**
 * Returns a function that finds the servers of the sites in the sources file.
 * Rejects with `ConfigError` if the certificates of a site cannot be read.
 */
async function siteServers({ sites }: SiteSettings): Promise<SiteServerOf> {
  const servers = new Map<string, ServersByPort>();
  for (const [host, addresses] of sites) servers.set(host, await serversOf(addresses));
  return (host, port) => servers.get(host)?.[port];
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

async function readMailFile({ DISPOSABLE_MAIL_FILE: path }: Config) {
  if (path === undefined) return undefined;
  try {
    const { mtimeMs } = await stat(path);
    return { name: basename(path), text: await readFile(path, 'utf8'), updatedAt: mtimeMs };
  } catch (error) {
    throw new ConfigError(
      `DISPOSABLE_MAIL_FILE must name a readable file, got ${JSON.stringify(path)}. It cannot be read: ${reasonOf(error)}`,
    );
  }
}
