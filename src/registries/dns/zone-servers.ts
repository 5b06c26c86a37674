import { LRUCache } from 'lru-cache';
import { atMostFor } from '../../shared/lru.ts';
import type { Clock } from '../../clock.ts';
import { tldOf } from '../../domain/names/domain-name.ts';
import { isPublicAddress } from '../../outbound/public-address.ts';
import type { ZoneCut } from './message.ts';
import type { Zone } from './zone-query.ts';
import { errorCode } from '../../shared/error-code.ts';
import { Resolver } from 'node:dns/promises';

/** A zone with its servers, or why they could not be found. */
export type ZoneSearch = { readonly zone: Zone } | { readonly failure: string };

/** `isPartOfParent`: the name has no name servers of its own. */
type Entry = (ZoneSearch | { readonly isPartOfParent: true }) & { readonly validMs: number };

const maxEntries = 10_000;
const minZoneValidMs = 3_600_000;
const maxZoneValidMs = 24 * 3_600_000;
const partOfParentValidMs = 5 * 60_000;
/** A gateway without a working resolver should answer at once. */
const failureValidMs = 30_000;
/** More than any TLD has. */
const maxNameServers = 16;
const dnsPort = 53;

/**
 * Finds the zones that contain names, and the addresses of their servers, with a recursive resolver.
 * Concurrent callers share one search.
 */
export class ZoneServers {
  readonly #resolver: ZoneResolver;
  readonly #onOffline: (tld: string) => void;
  readonly #cache: LRUCache<string, Entry, () => Promise<Entry>>;

  /** `onOffline` is called when the resolver does not answer, or does not find a TLD. */
  constructor(resolver: ZoneResolver, clock: Clock, onOffline: (tld: string) => void) {
    this.#resolver = resolver;
    this.#onOffline = onOffline;
    this.#cache = new LRUCache({
      ...atMostFor(maxEntries, maxZoneValidMs, clock),
      ignoreFetchAbort: true,
      async fetchMethod(_name, previous, { options, context: resolve }) {
        const resolved = await resolve();
        options.ttl = resolved.validMs - 1;
        // If the resolver fails, the previous servers remain in use.
        return 'failure' in resolved && previous && 'zone' in previous ? previous : resolved;
      },
    });
  }

  /** Finds the zone that contains the names directly under a suffix. Never rejects. */
  async find(suffix: string): Promise<ZoneSearch> {
    for (let name = suffix; ; name = name.slice(name.indexOf('.') + 1)) {
      const entry = await this.#cache.forceFetch(name, { context: () => this.#resolveZone(name) });
      if (!('isPartOfParent' in entry)) return entry;
    }
  }

  /** Finds the servers of a zone that its parent delegates. Never rejects. */
  async follow({ zone, nameServers }: ZoneCut): Promise<ZoneSearch> {
    const cached = this.#cache.peek(zone);
    if (cached && 'zone' in cached) return cached;
    const entry = await this.#cache.forceFetch(zone, {
      forceRefresh: true,
      context: () => this.#resolveServers(zone, nameServers),
    });
    return 'isPartOfParent' in entry ? { failure: `no name servers of ${zone} were found` } : entry;
  }

  async #resolveZone(name: string): Promise<Entry> {
    const isTld = !name.includes('.');
    try {
      return await this.#resolveServers(name, await this.#resolver.resolveNs(name));
    } catch (error) {
      const code = errorCode(error) || 'unknown error';
      const isAbsent = code === 'ENODATA' || code === 'ENOTFOUND';
      if (isAbsent && !isTld) return { isPartOfParent: true, validMs: partOfParentValidMs };
      if (silentCodes.has(code) || (isTld && code === 'ENOTFOUND')) this.#onOffline(tldOf(name));
      return failed(`the name servers of ${name} were not found (${code})`);
    }
  }

  async #resolveServers(zone: string, nameServers: readonly string[]): Promise<Entry> {
    const hosts = nameServers.filter((host) => hostName.test(host)).slice(0, maxNameServers);
    const addresses = await Promise.all(hosts.map((host) => this.#resolveHost(host)));

    // A resolver must not direct queries to internal hosts.
    const found = addresses.flat().filter(({ address }) => isPublicAddress(address));
    if (found.length === 0)
      return failed(`no public address of a name server of ${zone} was found`);

    const servers = found.map(({ host, address }) => ({ host, address, port: dnsPort }));
    const ttlMs = Math.min(...found.map(({ ttl }) => ttl)) * 1000;

    return {
      zone: { name: zone, servers, soaOwners: [zone] },
      validMs: Math.max(minZoneValidMs, Math.min(ttlMs || 0, maxZoneValidMs)),
    };
  }

  async #resolveHost(host: string): Promise<readonly (ResolvedAddress & { host: string })[]> {
    const results = await Promise.allSettled([
      this.#resolver.resolve4(host),
      this.#resolver.resolve6(host),
    ]);
    // Most failures are that a host has no IPv6 address.
    return results
      .flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
      .map((address) => ({ ...address, host }));
  }
}

/** The resolver was not reached, or did not answer. */
const silentCodes: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ETIMEOUT']);

/** The names of a referral come from the network, so they may contain any bytes. */
const hostName = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63}){0,30}\.?$/i;

function failed(failure: string): Entry {
  return { failure, validMs: failureValidMs };
}

/**
 * Finds name servers and their addresses. Rejects with an error that has the `code` of `node:dns`,
 * such as `ENODATA`.
 */
export interface ZoneResolver {
  resolveNs(zone: string): Promise<readonly string[]>;
  resolve4(host: string): Promise<readonly ResolvedAddress[]>;
  resolve6(host: string): Promise<readonly ResolvedAddress[]>;
}

export interface ResolvedAddress {
  readonly address: string;
  /** In seconds. */
  readonly ttl: number;
}

const timeoutMs = 1500;
const tries = 2;

/** Returns a resolver that queries the recursive resolvers of the system. */
export function systemZoneResolver(): ZoneResolver {
  return {
    resolveNs: (zone) => newResolver().resolveNs(zone),
    resolve4: (host) => newResolver().resolve4(host, { ttl: true }),
    resolve6: (host) => newResolver().resolve6(host, { ttl: true }),
  };
}

/** A resolver reads the configuration of the system once, so an old one would miss changes. */
function newResolver(): Resolver {
  return new Resolver({ timeout: timeoutMs, tries });
}
