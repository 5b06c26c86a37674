import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.ts';
import type { Resolve } from '../../outbound/public-address.ts';

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
  const lookups = new LRUCache<string, Lookup>({ max: maxHosts });
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
