import type { Clock } from '../clock.ts';
import { createLane, type Lane, type LaneLimits } from './lane.ts';

/** One lane per registry host (scheme, host and port), however many TLDs it serves. */
export function createLanes(limits: LaneLimits, clock: Clock): (baseUrl: string) => Lane {
  const lanes = new Map<string, Lane>();
  return (baseUrl) => {
    const { origin, host } = new URL(baseUrl);
    const lane = lanes.get(origin) ?? createLane(host, limits, clock);
    lanes.set(origin, lane);
    return lane;
  };
}
