import { isIPv4, isIPv6 } from 'node:net';
import { systemClock, type Clock } from '../../../src/clock.ts';
import { parseDomainName, splitName } from '../../../src/domain/names/domain-name.ts';
import type { Answer } from '../../../src/domain/answer.ts';
import type { AttemptRequest } from '../../../src/domain/source.ts';
import { DnsSource, type DnsOptions } from '../../../src/registries/dns/dns-source.ts';
import { networkExchange, type DnsExchange } from '../../../src/registries/dns/transport.ts';
import type { ZoneResolver } from '../../../src/registries/dns/zone-servers.ts';
import type { FakeDnsServer } from '../../support/servers/fake-dns-server.ts';
import { memoryLog } from '../../support/checks/memory-log.ts';

/** How many delegations count between two controls of a zone. */
export const maxUnverified = 20;

/** A source whose servers the operator names, with functions to look up names. */
export function dnsSource(
  servers: readonly { readonly address: string; readonly port: number }[],
  options: Partial<DnsOptions> = {},
) {
  const clock: Clock = options.clock ?? systemClock;
  const { log, lines } = memoryLog();
  const source = new DnsSource({
    clock,
    log,
    serversOf: () => servers,
    allowPrivate: true,
    throttled: (zone) => zone,
    maxUnverified,
    samplesOf: () => [],
    ...options,
  });
  return {
    source,
    lines,
    /** Looks up a name, by default within five seconds. */
    lookUp(name: string, request: Partial<AttemptRequest> = {}): Promise<Answer> {
      return source.lookup(
        { name: splitName(parseDomainName(name)), detail: 'verdict' },
        {
          signal: new AbortController().signal,
          queueDeadline: clock.now() + 5000,
          account: 'alice',
          priority: 'single',
          ...request,
        },
      );
    },
  };
}

/** The result in one word: the verdict if there is one, else delegation or problem. */
export function resultOf({ data, problem, provenance }: Answer): string | undefined {
  return data?.verdict ?? provenance.delegation ?? problem?.code;
}

/** The name servers of zones, and the addresses of hosts. A text is the code of an error. */
export interface ResolverData {
  readonly ns: Readonly<Record<string, readonly string[] | string>>;
  readonly addresses: Readonly<Record<string, readonly string[]>>;
}

/** A resolver with fixed data that can be replaced, and its calls in order. */
export function fakeResolver(initial: ResolverData) {
  const calls: string[] = [];
  const state = { data: initial, ttl: 300 };
  const addressesOf = async (host: string, isWanted: (address: string) => boolean) => {
    calls.push(host);
    const addresses = (state.data.addresses[host] ?? []).filter(isWanted);
    if (addresses.length === 0) throw resolverError('ENODATA');
    return addresses.map((address) => ({ address, ttl: state.ttl }));
  };
  return {
    calls,
    state,
    resolver: {
      async resolveNs(zone) {
        calls.push(zone);
        const hosts = state.data.ns[zone] ?? 'ENOTFOUND';
        if (typeof hosts === 'string') throw resolverError(hosts);
        return hosts;
      },
      resolve4: (host) => addressesOf(host, isIPv4),
      resolve6: (host) => addressesOf(host, isIPv6),
    } satisfies ZoneResolver,
  };
}

function resolverError(code: string): Error {
  return Object.assign(new Error(code), { code });
}

/**
 * Uses the network, but connects to the server given for an address. Other addresses have no route.
 * `requested` contains the addresses in order.
 */
export function exchangeWith(servers: Readonly<Record<string, FakeDnsServer>>) {
  const requested: string[] = [];
  const onNetwork = networkExchange(systemClock);
  const exchange: DnsExchange = async (transport, server, query, limits) => {
    requested.push(server.address);
    const target = servers[server.address];
    if (!target || server.port !== 53) return { failure: 'unroutable' };
    return onNetwork(transport, target, query, limits);
  };
  return { exchange, requested };
}
