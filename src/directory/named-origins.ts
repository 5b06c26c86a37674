import type { Services } from './bootstrap-parser.ts';

/** Returns a check whether the bootstrap document, as it is now, or the overrides name an origin. */
export function namedOrigins(bootstrap: () => Services, overrides: Services): (origin: string) => boolean {
  let read: { readonly from: Services; readonly origins: ReadonlySet<string> } | undefined;
  return (origin) => {
    const from = bootstrap();
    if (read?.from !== from) read = { from, origins: originsOf([...from.values(), ...overrides.values()]) };
    return read.origins.has(origin);
  };
}

function originsOf(services: readonly { readonly baseUrls: readonly string[] }[]): ReadonlySet<string> {
  return new Set(services.flatMap(({ baseUrls }) => baseUrls.map((baseUrl) => new URL(baseUrl).origin)));
}
