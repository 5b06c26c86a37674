import packageJson from '../../package.json' with { type: 'json' };
import type { Clock } from '../clock.ts';
import type { HostPort } from '../domain/ip-address.ts';
import { createHttpClient } from '../outbound/client.ts';
import { exchangeWithSite } from '../outbound/site-exchange.ts';
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
import type {
  ReadFact,
  SiteFact,
  SiteFacts,
  SiteQuery,
  SiteReader,
  SiteRequest,
} from './site-facts.ts';
import { maxSearches, searchLimits, separateSlots } from './site-slots.ts';
import { tlsReader } from './tls/tls-reader.ts';
import { exchangeInSandbox } from './sandbox/sandbox-exchange.ts';
import {
  sandboxCertificates,
  sandboxOffers,
  sandboxRecords,
  sandboxScan,
} from './sandbox/sandbox-facts.ts';
import { isSandboxHost } from './sandbox/sandbox-site.ts';

/** What the readers of facts are built from. */
export interface FactParts {
  readonly clock: Clock;
  /** Closes what the readers open. */
  readonly disposables: AsyncDisposableStack;
  readonly serverOf: SiteServerOf;
  /** DNS servers that take the place of those of the system; empty for none. */
  readonly resolvers: readonly HostPort[];
  /** Whether names under `.test` are answered by the sandbox. */
  readonly hasSandbox: boolean;
  /** The address of the guides, for site owners; undefined if it is not configured. */
  readonly docsUrl: string | undefined;
  /** The address of the certificate search; undefined if it is off. */
  readonly searchUrl: string | undefined;
  /** The proxy of the certificate search. */
  readonly proxy: OutboundProxy | undefined;
  readonly connectTimeoutMs: number;
}

/** Builds the readers of all facts. Some of them use `read` to read other facts from the cache. */
export function siteReaders(parts: FactParts, read: SiteReader['read']): FactReaders {
  const { clock, disposables, hasSandbox } = parts;
  const isSandbox = (host: string) => hasSandbox && isSandboxHost(host);
  const serverOf: SiteServerOf = (host, port) =>
    isSandbox(host) ? 'none' : parts.serverOf(host, port);
  const slots = separateSlots(clock, isSandbox);
  const acquireSlot = (host: string, request: SiteRequest) =>
    slots.acquire(request, registrableDomain(host));
  const resolverOf = resolverWith(parts.resolvers);
  const resolve = recentAddresses(addressResolver({ resolverOf, clock }), clock);
  const acquireSlotAtAddress = async (host: string, request: SiteRequest) => {
    const address = await siteAddress(host, 443, { serverOf, resolve });
    return slots.acquire(request, registrableDomain(host), address);
  };
  const userAgent = userAgentOf(parts);
  const client = disposables.adopt(
    createSiteClient({
      serverOf,
      slots,
      userAgent,
      clock,
      resolve,
      exchange: (request) =>
        isSandbox(request.url.hostname)
          ? exchangeInSandbox(request, clock)
          : exchangeWithSite(request),
    }),
    (open) => open.destroy(),
  );
  const robotsOf = (url: URL, request: SiteRequest) =>
    read('robots', { target: pageAt(url) }, undefined, request);
  const records: RecordsOptions = {
    resolverOf,
    // The operator sets the servers of these sites.
    isPublic: (host) => isPublicName(host) || serverOf(host, 443) !== undefined,
    acquireSlot,
    clock,
  };
  /** Returns a reader that answers for the sandbox with a fact that nothing is read for. */
  const orCanned =
    <F extends SiteFact>(
      reader: ReadFact<F>,
      canned: (query: SiteQuery, now: number) => SiteFacts[F],
    ): ReadFact<F> =>
    async (query, request) => {
      if (!isSandbox(query.target.host)) return reader(query, request);
      const fact = canned(query, clock.now());
      request.onSent?.();
      return fact;
    };
  return {
    robots: robotsReader({ client }),
    page: pageReader({ client, robotsOf }),
    tls: orCanned(
      tlsReader({ serverOf, clock, resolve, acquireSlot: acquireSlotAtAddress }),
      sandboxScan,
    ),
    agentSignals: agentSignalsReader({
      client,
      clock,
      page: (query, request) => read('page', query, undefined, request),
      isAllowed: async (url, request) => {
        const answer = await robotsOf(url, request);
        return 'data' in answer && allowsUrl(answer.data, url);
      },
    }),
    dns: orCanned(dnsReader(records), sandboxRecords),
    forSale: orCanned(forSaleReader(records), sandboxOffers),
    certificates: orCanned(certificatesOf(parts, userAgent), sandboxCertificates),
  };
}

/** Returns the `User-Agent`: the gateway and, if its address is configured, its page for site owners. */
function userAgentOf({ docsUrl }: FactParts): string {
  const comment = docsUrl ? ` (+${docsUrl}/site-lookups#for-site-owners)` : '';
  return `${productToken}/${packageJson.version}${comment}`;
}

/** Returns the function that creates the resolver of a read. */
function resolverWith(resolvers: FactParts['resolvers']) {
  const servers = resolvers.map(({ host, port }) =>
    host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`,
  );
  return () => createResolver(servers.length > 0 ? servers : undefined);
}

/** Returns the reader of certificates. The operator names the search, so it may be private. */
function certificatesOf(
  { clock, disposables, searchUrl, proxy, connectTimeoutMs }: FactParts,
  userAgent: string,
): ReadFact<'certificates'> {
  if (searchUrl === undefined)
    return () => Promise.reject(new Error('no certificate search is configured'));
  const { origin: searchOrigin, hostname } = new URL(searchUrl);
  const dispatcher = disposables.adopt(
    createDispatcher({
      allowPrivate: true,
      connections: maxSearches,
      connectTimeoutMs,
      maxResponseBytes: maxSearchBytes,
      proxy,
    }),
    (open) => open.destroy(),
  );
  const route = ({ origin }: URL) => (origin === searchOrigin ? dispatcher : undefined);
  return certificatesReader({
    searchUrl,
    client: createHttpClient({ route, userAgent, clock }),
    limits: searchLimits(hostname, clock),
    clock,
  });
}
