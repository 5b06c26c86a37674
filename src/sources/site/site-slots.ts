import type { Clock } from '../../clock.ts';
import { FairSlots } from '../../throttle/fair-slots.ts';

const maxInFlight = 64;
const maxPerSite = 2;
/** Maximum number of certificate searches at once. */
export const maxSearches = 2;

/**
 * Returns the slots of requests to sites: at most two at once for a registrable domain, and at most
 * 64 in total, shared between accounts.
 */
export function siteSlots(clock: Clock): FairSlots {
  return new FairSlots({ maxInFlight, maxPerKey: maxPerSite, clock });
}

/**
 * Returns the slots of all sites. The sites of the sandbox, which cost no credits, have slots of their
 * own, so that they do not delay other sites.
 */
export function separateSlots(
  clock: Clock,
  isSandbox: (host: string) => boolean,
): Pick<FairSlots, 'acquire'> {
  const [slots, sandboxSlots] = [siteSlots(clock), siteSlots(clock)];
  return {
    acquire: (request, domain = '') =>
      (isSandbox(domain) ? sandboxSlots : slots).acquire(request, domain),
  };
}

/** Returns the slots of a certificate search, shared between accounts. */
export function searchSlots(clock: Clock): FairSlots {
  return new FairSlots({ maxInFlight: maxSearches, clock });
}
