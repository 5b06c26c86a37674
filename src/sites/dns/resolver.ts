import { Resolver } from 'node:dns/promises';

/**
 * Creates a resolver of DNS records. It reads the configuration of the system once, so create one
 * for each read. `servers`: `ADDRESS` or `ADDRESS:PORT`, instead of the system's resolvers.
 */
export function createResolver(servers?: readonly string[]): Resolver {
  const resolver = new Resolver({ timeout: 1500, tries: 2, maxTimeout: 2500 });
  if (servers) resolver.setServers(servers);
  return resolver;
}
