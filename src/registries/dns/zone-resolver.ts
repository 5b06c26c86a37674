import { Resolver } from 'node:dns/promises';

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
