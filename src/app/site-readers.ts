import packageJson from '../../package.json' with { type: 'json' };
import { ConfigError, type Config } from '../config.ts';
import {
  noSiteSettings,
  parseSiteSettings,
  type SiteSettings,
  type SiteAddresses,
} from '../sites/site-settings.ts';
import type { ReadFact, SiteFact, SiteReader, SiteRequest } from '../sites/site-facts.ts';
import type { SiteServerOf, SiteServer } from '../outbound/dispatcher.ts';
import { pageAt } from '../sites/site-target.ts';
import { createHttpClient } from '../outbound/client.ts';
import type { OutboundProxy } from '../outbound/proxy.ts';
import { createDispatcher } from '../outbound/dispatcher.ts';
import { agentSignalsReader } from '../sites/agent-signals/agent-signals-reader.ts';
import { CachedSiteReader, type FactReaders } from '../sites/cached-site-reader.ts';
import { certificatesReader, maxSearchBytes } from '../sites/certificates/certificates-reader.ts';
import { createSiteClient } from '../sites/create-site-client.ts';
import { addressResolver, recentAddresses } from '../sites/dns/address-resolver.ts';
import { dnsReader } from '../sites/dns/dns-reader.ts';
import { forSaleReader } from '../sites/dns/for-sale.ts';
import { isPublicName, createResolver } from '../sites/dns/resolver.ts';
import type { RecordsOptions } from '../sites/dns/read-records.ts';
import { pageReader } from '../sites/page/page-reader.ts';
import { registrableDomain } from '../sites/registrable-domain.ts';
import { allowsUrl, productToken } from '../sites/robots/robots-rules.ts';
import { robotsReader } from '../sites/robots/robots-reader.ts';
import { maxSearches, searchLimits, separateSlots } from '../sites/site-slots.ts';
import { siteAddress } from '../sites/site-address.ts';
import { SiteExtension } from '../sites/site-extension.ts';
import { tlsReader } from '../sites/tls/tls-reader.ts';
import type { Common } from './common.ts';
import { LazySandboxSites } from './lazy-sandbox-sites.ts';
import { readFile, stat } from 'node:fs/promises';
import type { HostPort } from '../domain/host-port.ts';
import { basename } from 'node:path';
import { Problem } from '../domain/problems.ts';
import { loadDisposableMail } from '../sites/mail/disposable-mail.ts';
import { isReachable, outboundProxy } from './outbound-proxy.ts';
import { readSetting } from './settings.ts';

interface SiteParts {
  readonly common: Common;
  readonly settings: SiteSettings;
  readonly serverOf: SiteServerOf;
  /** Undefined with `SANDBOX=off`. */
  readonly sandbox: LazySandboxSites | undefined;
}

/** Builds the readers of all facts. Some of them use `read` to read other facts from the cache. */
export function siteReaders(parts: SiteParts, read: SiteReader['read']): FactReaders {
  const { common, serverOf, sandbox } = parts;
  const { config, clock, disposables } = common;
  const slots = separateSlots(clock, (host) => sandbox?.serves(host) === true);
  const acquireSlot = (host: string, request: SiteRequest) =>
    slots.acquire(request, registrableDomain(host));
  const resolverOf = resolversOf(parts);
  const resolve = recentAddresses(addressResolver({ resolverOf, clock }), clock);
  const acquireSlotAtAddress = async (host: string, request: SiteRequest) => {
    const address = await siteAddress(host, 443, { serverOf, resolve });
    return slots.acquire(request, registrableDomain(host), address);
  };
  const client = disposables.adopt(
    createSiteClient({ serverOf, slots, userAgent: userAgentOf(config), clock, resolve }),
    (open) => open.destroy(),
  );
  const robotsOf = (url: URL, request: SiteRequest) =>
    read('robots', { target: pageAt(url) }, undefined, request);
  const records: RecordsOptions = {
    resolverOf,
    // The operator or the sandbox sets the servers of these sites.
    isPublic: (host) => isPublicName(host) || serverOf(host, 443) !== undefined,
    acquireSlot,
    clock,
  };
  const inSandbox = startingSandbox(sandbox);
  return {
    robots: inSandbox(robotsReader({ client })),
    page: inSandbox(pageReader({ client, robotsOf })),
    tls: inSandbox(tlsReader({ serverOf, clock, resolve, acquireSlot: acquireSlotAtAddress })),
    agentSignals: inSandbox(
      agentSignalsReader({
        client,
        clock,
        page: (query, request) => read('page', query, undefined, request),
        isAllowed: async (url, request) => {
          const answer = await robotsOf(url, request);
          return 'data' in answer && allowsUrl(answer.data, url);
        },
      }),
    ),
    dns: inSandbox(dnsReader(records)),
    forSale: inSandbox(forSaleReader(records)),
    certificates: inSandbox(certificatesOf(parts)),
  };
}

/** Returns the `User-Agent`: the gateway and, if its address is configured, its page for site owners. */
function userAgentOf({ BASE_URL, DOCS_URL }: Config): string {
  const docsUrl = DOCS_URL ?? (BASE_URL && `${BASE_URL}/docs`);
  const comment = docsUrl ? ` (+${docsUrl}/site-lookups#for-site-owners)` : '';
  return `${productToken}/${packageJson.version}${comment}`;
}

/** Returns a wrapper of readers that starts the sandbox before its first site is read. */
function startingSandbox(sandbox: LazySandboxSites | undefined) {
  return <F extends SiteFact>(reader: ReadFact<F>): ReadFact<F> =>
    async (query, request) => {
      await sandbox?.startFor(query.target.host);
      return reader(query, request);
    };
}

/** Returns the function that creates the resolver of a host. */
function resolversOf({ settings, sandbox }: SiteParts) {
  const servers = settings.resolvers.map(({ host, port }) =>
    host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`,
  );
  const configured = servers.length > 0 ? servers : undefined;
  return (host: string) => createResolver(sandbox?.serves(host) ? [sandbox.resolver] : configured);
}

/** Returns the reader of certificates. The operator names the search, so it may be private. */
function certificatesOf({ common, sandbox }: SiteParts): ReadFact<'certificates'> {
  const { config, clock, disposables } = common;
  const open = (proxy?: OutboundProxy) =>
    disposables.adopt(
      createDispatcher({
        allowPrivate: true,
        connections: maxSearches,
        connectTimeoutMs: config.RDAP_TIMEOUT_MS,
        maxResponseBytes: maxSearchBytes,
        proxy,
      }),
      (dispatcher) => dispatcher.destroy(),
    );
  const [dispatcher, sandboxDispatcher] = [open(outboundProxy(config)), open()];
  const sandboxLimits = searchLimits('sandbox', clock);
  const { CT_SEARCH_URL: configuredUrl } = config;
  const limits = searchLimits(configuredUrl ? new URL(configuredUrl).hostname : '', clock);
  return ({ target }, request) => {
    const isSandbox = sandbox?.serves(target.host) === true;
    const searchUrl = isSandbox ? sandbox.searchUrl : configuredUrl;
    if (searchUrl === undefined) throw new Error('no certificate search is configured');
    const route = ({ origin }: URL) =>
      origin !== new URL(searchUrl).origin ? undefined : isSandbox ? sandboxDispatcher : dispatcher;
    const client = createHttpClient({ route, userAgent: userAgentOf(config), clock });
    return certificatesReader({
      searchUrl,
      ...(isSandbox && { source: 'sandbox' }),
      client,
      limits: isSandbox ? sandboxLimits : limits,
      clock,
    })({ target }, request);
  };
}

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
  const readers = siteReaders({ common, settings, serverOf, sandbox }, (...read) =>
    reader.read(...read),
  );
  const reader = new CachedSiteReader({
    readers,
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
    return new Problem(
      'not_implemented',
      'Site lookups are disabled on this gateway (SITE_LOOKUPS=off).',
    );
  if (fact !== 'certificates' && !isSandbox && !isReachable(config, 'sites'))
    return new Problem(
      'not_implemented',
      'This gateway reaches no sites: it is behind a proxy (OUTBOUND_PROXY), and OUTBOUND_DIRECT does not name `sites`.',
    );
  return fact === 'certificates' && !isSandbox && config.CT_SEARCH_URL === undefined
    ? new Problem(
        'not_implemented',
        'The certificate search is disabled on this gateway (CT_SEARCH_URL=off).',
      )
    : undefined;
}
