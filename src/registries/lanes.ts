import type { Clock } from '../clock.ts';
import type { Backoffs } from '../throttle/backoffs.ts';
import type { LaneLimits } from './allowance.ts';
import { createLane, type Lane, type OwnedLane } from './lane.ts';

export interface LanesOptions {
  /** By host, as in a URL: `rdap.example` or `rdap.example:8443`. */
  readonly limitsOf: (host: string) => LaneLimits;
  readonly clock: Clock;
  readonly backoffs: Backoffs;
}

/** One lane per host (scheme, host and port), however many TLDs it serves and whoever names it. */
export interface Lanes {
  /** Of a registry, for good. */
  registry(baseUrl: string): Lane;
  /** Of whomever an answer names. That may be anybody, without end: it is forgotten when all that it knows is past. */
  stranger(url: string): Lane;
}

/** A pause, a breaker and second tries are past long before. */
const forgottenAfterMs = 10 * 60_000;
const lookEveryMs = 60_000;

export function createLanes({ limitsOf, clock, backoffs }: LanesOptions): Lanes {
  const registries = new Map<string, OwnedLane>();
  const strangers = new Map<string, OwnedLane>();
  let lookedAt = clock.elapsed();

  const known = ({ origin }: { readonly origin: string }) => registries.get(origin) ?? strangers.get(origin);
  backoffs.listen((origin, until) => known({ origin })?.closeUntil(until));

  function open({ origin, host }: URL): OwnedLane {
    const limits = limitsOf(host);
    return createLane({
      host,
      limits,
      clock,
      opensAt: backoffs.until(origin),
      onClosed: (opensAt) => backoffs.add(origin, opensAt),
    });
  }

  function openStranger(url: URL): OwnedLane {
    forgetIdle();
    const lane = open(url);
    strangers.set(url.origin, lane);
    return lane;
  }

  function forgetIdle(): void {
    if (clock.elapsed() - lookedAt < lookEveryMs) return;
    lookedAt = clock.elapsed();
    for (const [origin, lane] of strangers) {
      if (lane.idleMs() < forgottenAfterMs) continue;
      strangers.delete(origin);
      lane.forget();
    }
  }

  return {
    registry(baseUrl) {
      const url = new URL(baseUrl);
      const lane = known(url) ?? open(url);
      strangers.delete(url.origin);
      registries.set(url.origin, lane);
      return lane;
    },
    stranger(named) {
      const url = new URL(named);
      // Found anew each time: since it was named it may have been forgotten, and two lanes would be twice as much for one host.
      const lane = () => known(url) ?? openStranger(url);
      return { enter: (name, asker) => lane().enter(name, asker), health: () => lane().health() };
    },
  };
}
