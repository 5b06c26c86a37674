import type { Clock } from '../clock.ts';
import { createLane, type Lane, type LaneLimits } from './lane.ts';

export interface LanesOptions {
  /** By host, as in a URL: `rdap.example` or `rdap.example:8443`. */
  readonly limitsOf: (host: string) => LaneLimits;
  readonly clock: Clock;
  /** Hosts that asked to be left alone, by origin, until when; epoch ms. From before this process began. */
  readonly closed: ReadonlyMap<string, number>;
  readonly onClosed: (origin: string, opensAt: number) => void;
}

/** One lane per registry host (scheme, host and port), however many TLDs it serves. */
export function createLanes({ limitsOf, clock, closed, onClosed }: LanesOptions): (baseUrl: string) => Lane {
  const lanes = new Map<string, Lane>();
  return (baseUrl) => {
    const { origin, host } = new URL(baseUrl);
    const known = lanes.get(origin);
    if (known) return known;
    const lane = createLane({
      host,
      limits: limitsOf(host),
      clock,
      opensAt: closed.get(origin) ?? 0,
      onClosed: (opensAt) => onClosed(origin, opensAt),
    });
    lanes.set(origin, lane);
    return lane;
  };
}
