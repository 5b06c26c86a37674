import { derived } from '../memoize.ts';
import type { Services } from './bootstrap-parser.ts';

/**
 * Returns a predicate that is true for origins in the current bootstrap document or the overrides.
 */
export function namedOrigins(
  bootstrap: () => Services,
  overrides: Services,
): (origin: string) => boolean {
  const origins = derived(bootstrap, (services) =>
    originsOf([...services.values(), ...overrides.values()]),
  );
  return (origin) => origins().has(origin);
}

function originsOf(
  services: readonly { readonly baseUrls: readonly string[] }[],
): ReadonlySet<string> {
  return new Set(
    services.flatMap(({ baseUrls }) => baseUrls.map((baseUrl) => new URL(baseUrl).origin)),
  );
}
