import type { Clock } from '../clock.ts';
import type { LaneLimits } from './allowance.ts';
import { fleetAllowance } from './fleet-allowance.ts';
import type { Fleet } from './fleet.ts';
import { createLane, type Lane } from './lane.ts';

export interface LanesOptions {
  /** By host, as in a URL: `rdap.example` or `rdap.example:8443`. */
  readonly limitsOf: (host: string) => LaneLimits;
  readonly clock: Clock;
  /** Hosts that asked to be left alone, by origin, until when; epoch ms. From before this process began. */
  readonly closed: ReadonlyMap<string, number>;
  readonly onClosed: (origin: string, opensAt: number) => void;
  /** The other nodes, who ask the same hosts. */
  readonly fleet?: Fleet | undefined;
}

/** One lane per registry host (scheme, host and port), however many TLDs it serves. */
export function createLanes({ limitsOf, clock, closed, onClosed, fleet }: LanesOptions): (baseUrl: string) => Lane {
  const lanes = new Map<string, Lane>();
  return (baseUrl) => {
    const { origin, host } = new URL(baseUrl);
    const known = lanes.get(origin);
    if (known) return known;
    const limits = limitsOf(host);
    const lane = createLane({
      host,
      limits,
      clock,
      opensAt: closed.get(origin) ?? 0,
      onClosed: (opensAt) => onClosed(origin, opensAt),
      ...(fleet && { allowanceFor: (gate) => fleetAllowance({ fleet, origin, limits, clock, lane: gate }) }),
    });
    lanes.set(origin, lane);
    return lane;
  };
}
