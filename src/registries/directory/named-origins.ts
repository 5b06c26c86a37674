import { derived } from '../../shared/memoize.ts';
import type { KnownSources } from './suffix-sources.ts';
import { unlistedServers } from './unlisted-servers.ts';

/**
 * Returns a predicate that is true for the origins of RDAP servers that the bootstrap document, the
 * operator or the built-in table names.
 */
export function namedOrigins(known: () => KnownSources): (origin: string) => boolean {
  const origins = derived(known, (current) => originsOf(baseUrlsOf(current)));
  return (origin) => origins().has(origin);
}

function baseUrlsOf({ bootstrap, overrides, settings }: KnownSources): readonly string[] {
  const services = [...bootstrap.values(), ...overrides.values()];
  const configured = ['', ...settings.suffixes].map((suffix) => settings.of(suffix).rdap ?? []);
  return [
    ...services.flatMap(({ baseUrls }) => baseUrls),
    ...configured.flat(),
    ...unlistedServers.values(),
  ];
}

function originsOf(baseUrls: readonly string[]): ReadonlySet<string> {
  return new Set(baseUrls.map((baseUrl) => new URL(baseUrl).origin));
}
