import packageJson from '../../package.json' with { type: 'json' };
import type { Config } from '../config.ts';
import { createHttpClient } from '../outbound/client.ts';
import { createDispatcher, type SiteServerOf, type OutboundProxy } from '../outbound/dispatcher.ts';
import { agentSignalsReader } from './agent-signals/agent-signals-reader.ts';
import type { FactReaders } from './cached-site-reader.ts';
import { certificatesReader, maxSearchBytes } from './certificates/certificates-reader.ts';
import { createSiteClient, siteAddress } from './site-client.ts';
import { addressResolver, recentAddresses } from './dns/address-resolver.ts';
import { dnsReader } from './dns/dns-reader.ts';
import { forSaleReader } from './dns/for-sale.ts';
import { createResolver, isPublicName, type RecordsOptions } from './dns/read-records.ts';
import { pageReader } from './page/page-reader.ts';
import { registrableDomain, pageAt } from './site-target.ts';
import { robotsReader } from './robots/robots-reader.ts';
import { allowsUrl, productToken } from './robots/robots-file.ts';
import type { ReadFact, SiteFact, SiteReader, SiteRequest } from './site-facts.ts';
import type { SiteSettings } from './site-settings.ts';
import { maxSearches, searchLimits, separateSlots } from './site-slots.ts';
import { tlsReader } from './tls/tls-reader.ts';
import type { Common } from '../app/common.ts';
import type { LazySandboxSites } from './lazy-sandbox-sites.ts';
import { outboundProxy } from '../app/settings.ts';

export interface SiteParts {
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
