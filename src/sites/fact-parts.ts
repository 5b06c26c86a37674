import packageJson from '../../package.json' with { type: 'json' };
import type { Clock } from '../clock.ts';
import type { HostPort } from '../domain/names/ip-address.ts';
import { createHttpClient } from '../outbound/client.ts';
import { exchangeWithSite } from '../outbound/site-exchange.ts';
import { createDispatcher, type SiteServerOf, type OutboundProxy } from '../outbound/dispatcher.ts';
import {
  maxSearchBytes,
  type CertificatesReaderOptions,
} from './certificates/certificates-reader.ts';
import { createSiteClient, siteAddress } from './site-client.ts';
import { addressResolver, recentAddresses } from './dns/address-resolver.ts';
import { createResolver, isPublicName, type RecordsOptions } from './dns/read-records.ts';
import { registrableDomain } from './site-target.ts';
import { productToken } from './robots/robots-file.ts';
import type { FactParts, SiteReader } from './fact.ts';
import type { SiteRequest } from './site-facts.ts';
import { maxSearches, searchLimits, separateSlots } from './site-slots.ts';
import { exchangeInSandbox } from './sandbox/sandbox-exchange.ts';
import { isSandboxHost } from './sandbox/sandbox-site.ts';

/** What the parts of the readers are built from. */
export interface FactOptions {
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

/** Builds what the readers of facts share. Some of them use `read` to read other facts from the cache. */
export function createFactParts(parts: FactOptions, read: SiteReader['read']): FactParts {
  const { clock, disposables, hasSandbox } = parts;
  const isSandbox = (host: string) => hasSandbox && isSandboxHost(host);
  const serverOf: SiteServerOf = (host, port) =>
    isSandbox(host) ? 'none' : parts.serverOf(host, port);
  const slots = separateSlots(clock, isSandbox);
  const acquireSlot = (host: string, request: SiteRequest) =>
    slots.acquire(request, registrableDomain(host));
  const resolverOf = resolverWith(parts.resolvers);
  const resolve = recentAddresses(addressResolver(resolverOf, clock), clock);

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
  const records: RecordsOptions = {
    resolverOf,
    // The operator sets the servers of these sites.
    isPublic: (host) => isPublicName(host) || serverOf(host, 443) !== undefined,
    acquireSlot,
    clock,
  };

  return {
    clock,
    client,
    records,
    tls: { serverOf, clock, resolve, acquireSlot: acquireSlotAtAddress },
    search: searchOf(parts, userAgent),
    read,
  };
}

/** Returns the `User-Agent`: the gateway and, if its address is configured, its page for site owners. */
function userAgentOf({ docsUrl }: FactOptions): string {
  const comment = docsUrl ? ` (+${docsUrl}/site-lookups#for-site-owners)` : '';
  return `${productToken}/${packageJson.version}${comment}`;
}

/** Returns the function that creates the resolver of a read. */
function resolverWith(resolvers: FactOptions['resolvers']) {
  const servers = resolvers.map(({ host, port }) =>
    host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`,
  );
  return () => createResolver(servers.length > 0 ? servers : undefined);
}

/** Returns the search of certificates. The operator names it, so it may be private. */
function searchOf(
  { clock, disposables, searchUrl, proxy, connectTimeoutMs }: FactOptions,
  userAgent: string,
): CertificatesReaderOptions | undefined {
  if (searchUrl === undefined) return undefined;

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

  return {
    searchUrl,
    client: createHttpClient({ route, userAgent, clock }),
    limits: searchLimits(hostname, clock),
    clock,
  };
}
