import { AsyncDisposableStack } from '@whatwg-node/disposablestack';
import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { ConfigError, type Config } from '../config.ts';
import type { HostPort } from '../domain/ip-address.ts';
import { Problem } from '../domain/problems.ts';
import type { SiteServer, SiteServerOf } from '../outbound/dispatcher.ts';
import { onceFulfilled } from '../shared/memoize.ts';
import { CachedSiteReader, type FactReaders } from './cached-site-reader.ts';
import { loadDisposableMail } from './mail/disposable-mail.ts';
import { SiteExtension } from './site-lookups.ts';
import type { ReadFact, SiteFact } from './site-facts.ts';
import {
  noSiteSettings,
  parseSiteSettings,
  type SiteAddresses,
  type SiteSettings,
} from './site-settings.ts';
import type { Common } from '../app/common.ts';
import type { SiteParts } from './fact-readers.ts';
import { LazySandboxSites } from './lazy-sandbox-sites.ts';
import { isReachable, readSetting } from '../app/settings.ts';

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

/** Builds the lookups of sites. Rejects with `ConfigError` if a file is invalid. */
export async function buildSites(common: Common): Promise<SiteExtension> {
  const { config, clock, instruments } = common;
  const settings = await readSiteSettings(config);
  const sandbox = config.SANDBOX ? new LazySandboxSites(common) : undefined;
  const serverOf = await siteServers(settings, sandbox);
  const reader = new CachedSiteReader({
    readers: factReaders({ common, settings, serverOf, sandbox }, (...read) =>
      reader.read(...read),
    ),
    clock,
    refusalOf: (fact, host) => refusalOf(config, fact, sandbox?.serves(host) === true),
    isSandbox: (host) => sandbox?.serves(host) === true,
  });
  return new SiteExtension({
    reader,
    disposableMail: loadDisposableMail(await readMailFile(config)),
    clock,
    onOutcome: instruments.site,
  });
}

/** Returns the readers of all facts, which are loaded with the first site that is read. */
function factReaders(parts: SiteParts, read: CachedSiteReader['read']): FactReaders {
  const { common } = parts;
  const disposables = common.disposables.use(new AsyncDisposableStack());
  const load = onceFulfilled(async () => {
    const { siteReaders } = await import('./fact-readers.ts');
    return siteReaders({ ...parts, common: { ...common, disposables } }, read);
  });
  const reader =
    <F extends SiteFact>(fact: F): ReadFact<F> =>
    async (...query) =>
      (await load())[fact](...query);
  return {
    robots: reader('robots'),
    page: reader('page'),
    tls: reader('tls'),
    agentSignals: reader('agentSignals'),
    dns: reader('dns'),
    forSale: reader('forSale'),
    certificates: reader('certificates'),
  };
}

function readSiteSettings(config: Config): Promise<SiteSettings> {
  return readSetting(
    'SOURCES_FILE',
    config.SOURCES_FILE,
    (document) => parseSiteSettings(document, config.RDAP_ALLOW_PRIVATE),
    noSiteSettings,
  );
}

async function readMailFile({ DISPOSABLE_MAIL_FILE: path }: Config) {
  if (path === undefined) return undefined;
  try {
    const { mtimeMs } = await stat(path);
    return { name: basename(path), text: await readFile(path, 'utf8'), updatedAt: mtimeMs };
  } catch (error) {
    throw new ConfigError(
      `DISPOSABLE_MAIL_FILE must name a readable file, got ${JSON.stringify(path)}. ${String(error)}`,
    );
  }
}

/** The facts that no site is contacted for. */
const otherFacts = new Set<SiteFact>(['dns', 'forSale', 'certificates']);

function refusalOf(config: Config, fact: SiteFact, isSandbox: boolean): Problem | undefined {
  if (!config.SITE_LOOKUPS && !otherFacts.has(fact))
    return refusal('Site lookups are disabled on this gateway (SITE_LOOKUPS=off).');
  if (fact !== 'certificates' && !isSandbox && !isReachable(config, 'sites'))
    return refusal(
      'This gateway reaches no sites: it is behind a proxy (OUTBOUND_PROXY), and OUTBOUND_DIRECT does not name `sites`.',
    );
  return fact === 'certificates' && !isSandbox && config.CT_SEARCH_URL === undefined
    ? refusal('The certificate search is disabled on this gateway (CT_SEARCH_URL=off).')
    : undefined;
}

function refusal(detail: string): Problem {
  return new Problem('not_implemented', detail);
}
