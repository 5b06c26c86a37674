import type { Resolver } from 'node:dns/promises';
import type { Clock } from '../../clock.ts';
import type { Resolve } from '../../outbound/public-address.ts';
import { errorCode } from '../../shared/error-code.ts';
import { LRUCache } from 'lru-cache';
import { atMost } from '../../shared/lru.ts';

/** Queries are retried at each resolver, so several slow resolvers could take longer. */
const maxResolveMs = 5000;
const absences = new Set(['ENODATA', 'ENOTFOUND', 'EBADNAME']);

/**
 * Returns the resolver of the names of sites. `dns.lookup` would occupy one of the few threads of
 * the process until the last retry, so two names whose servers do not respond would stop all other
 * lookups, those of registries included. A Resolver of `node:dns` uses sockets and no threads.
 * `resolverOf` creates one for a host, which is cancelled after the time limit.
 */
export function addressResolver(resolverOf: (host: string) => Resolver, clock: Clock): Resolve {
  return (host, _options, callback) => {
    const resolver = resolverOf(host);
    const cancelTimer = clock.after(maxResolveMs, () => resolver.cancel());
    void addressesOf(resolver, host)
      .finally(cancelTimer)
      .then(
        (addresses) => callback(null, addresses),
        (error: unknown) => callback(lookupError(host, error), []),
      );
  };
}

/** Returns the addresses of both families, IPv4 first. Rejects if there are none. */
async function addressesOf(
  resolver: Resolver,
  host: string,
): Promise<{ address: string; family: number }[]> {
  const families = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const addresses = families.flatMap((result, index) =>
    result.status === 'fulfilled'
      ? result.value.map((address) => ({ address, family: index === 0 ? 4 : 6 }))
      : [],
  );
  if (addresses.length > 0) return addresses;

  const errors = families.flatMap((result): unknown[] =>
    result.status === 'rejected' ? [result.reason] : [],
  );

  // A family that could not be resolved may have addresses, so it decides.
  throw errors.find((error) => !absences.has(errorCode(error))) ?? errors[0];
}

/** Returns an error with a code of `dns.lookup`. */
function lookupError(host: string, cause: unknown): NodeJS.ErrnoException {
  const code = absences.has(errorCode(cause)) ? 'ENOTFOUND' : 'EAI_AGAIN';
  return Object.assign(new Error(`${host} could not be resolved`, { cause }), { code });
}

type Result = Parameters<Parameters<Resolve>[2]>;

interface Lookup {
  readonly result: Promise<Result>;
  readonly startedAt: number;
}

const maxHosts = 1000;
const maxAgeMs = 5000;

/**
 * Returns a resolver that resolves a host once in five seconds: for the slot of a request, and for
 * its connection.
 */
export function recentAddresses(resolve: Resolve, clock: Clock): Resolve {
  const lookups = new LRUCache<string, Lookup>(atMost(maxHosts));
  const start = (...[host, options]: Parameters<Resolve>): Lookup => {
    const result = new Promise<Result>((settle) =>
      resolve(host, options, (...found) => settle(found)),
    );
    const lookup = { result, startedAt: clock.elapsed() };
    lookups.set(host, lookup);
    return lookup;
  };

  return (host, options, callback) => {
    const recent = lookups.get(host);
    const isRecent = recent && clock.elapsed() - recent.startedAt < maxAgeMs;
    const { result } = isRecent ? recent : start(host, options, callback);
    void result.then((found) => callback(...found));
  };
}
