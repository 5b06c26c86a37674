import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  startFakeDnsServer,
  type DnsAnswerOf,
  type FakeDnsServer,
} from '../servers/fake-dns-server.ts';
import { startFakeSites, type FakePage, type FakeSites } from '../servers/fake-site.ts';
import { sourcesWithoutDns } from './gateway-process.ts';
import type { GatewayOptions } from './gateway.ts';
import { startMeteredGateway, type Customer, type MeteredGateway } from './metered-gateway.ts';
import { scratch } from '../stores/scratch.ts';

/** A gateway that requires a key, with sites and a DNS resolver of its own. */
export interface SiteGateway extends AsyncDisposable {
  readonly metered: MeteredGateway;
  readonly customer: Customer;
  readonly sites: FakeSites;
  readonly dns: FakeDnsServer;
  /** Returns how often a URL was requested from the sites. */
  requestsOf(url: string): number;
}

/**
 * Starts the sites of some pages by URL, and a gateway that finds them by `SOURCES_FILE`. By default,
 * no name has DNS records.
 */
export async function startSiteGateway(
  pages: Readonly<Record<string, FakePage>>,
  { env = {}, ...options }: GatewayOptions = {},
  answerOf?: DnsAnswerOf,
): Promise<SiteGateway> {
  await using parts = new AsyncDisposableStack();
  const sites = parts.use(await startFakeSites(pages));
  const dns = parts.use(await startFakeDnsServer(answerOf));
  const folder = parts.use(await scratch());
  const hosts = new Set(Object.keys(pages).map((url) => new URL(url).hostname));
  const caFile = join(folder.path, 'ca.pem');
  const document = {
    ...JSON.parse(await readFile(sourcesWithoutDns, 'utf8')),
    sites: Object.fromEntries([...hosts].map((host) => [host, serversOf(sites, host, caFile)])),
    resolvers: [`${dns.address}:${dns.port}`],
  };
  const file = join(folder.path, 'sources.json');
  await writeFile(file, JSON.stringify(document));
  const [host = ''] = hosts;
  const server = sites.serverOf(host, 443);
  await writeFile(caFile, typeof server === 'object' ? (server.ca ?? '') : '');
  const metered = parts.use(
    await startMeteredGateway({ ...options, env: { SOURCES_FILE: file, ...env } }),
  );
  const customer = await metered.newCustomer();
  const running = parts.move();
  return {
    metered,
    customer,
    sites,
    dns,
    requestsOf: (url) => sites.requests.filter((request) => request.url === url).length,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

function serversOf({ serverOf }: FakeSites, host: string, ca: string) {
  const at = (port: 80 | 443) => {
    const server = serverOf(host, port);
    return typeof server === 'object' ? `${server.address}:${server.port}` : undefined;
  };
  return { http: at(80), https: at(443), ca };
}
