import { isIP } from 'node:net';
import type { SiteServerOf } from '../outbound/dispatcher.ts';
import type { Resolve } from '../outbound/public-address.ts';

interface Resolution {
  readonly serverOf: SiteServerOf;
  readonly resolve: Resolve;
}

/** Returns the address that is tried first for a host; undefined if it has none. Never rejects. */
export async function siteAddress(
  host: string,
  port: 80 | 443,
  { serverOf, resolve }: Resolution,
): Promise<string | undefined> {
  const server = serverOf(host, port);
  if (server) return server === 'none' ? undefined : server.address;
  const literal = host.replace(/^\[|\]$/g, '');
  if (isIP(literal)) return literal;
  return new Promise((settle) =>
    resolve(host, { all: true }, (_error, [first]) => settle(first?.address)),
  );
}
