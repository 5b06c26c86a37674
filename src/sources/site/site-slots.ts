import type { Clock } from '../../clock.ts';
import { FairSlots } from '../../throttle/fair-slots.ts';

const maxInFlight = 64;
const maxPerSite = 2;

/**
 * Returns the slots of all requests to sites, by registrable domain: at most two at once for a site,
 * and at most 64 in total, shared between accounts.
 */
export function siteSlots(clock: Clock): FairSlots {
  return new FairSlots({ maxInFlight, maxPerKey: maxPerSite, clock });
}
