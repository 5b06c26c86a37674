import type { Clock } from '../clock.ts';
import { FairSlots } from '../outbound/queues/fair-slots.ts';
import { TokenBucket } from '../outbound/queues/token-bucket.ts';

const maxInFlight = 64;
const maxPerSite = 2;
/** More than for a site: an address of a CDN or a shared host serves sites of many owners. */
const maxPerAddress = 8;
/** Maximum number of certificate searches at once. */
export const maxSearches = 2;

/**
 * Returns the slots of requests to sites: at most two at once for a registrable domain, eight for an
 * address, and 64 in total, shared between accounts.
 */
export function siteSlots(clock: Clock): FairSlots {
  return new FairSlots({ maxInFlight, maxPerKey: maxPerSite, maxPerAddress, clock });
}

/**
 * Returns the slots of all sites. The sites of the sandbox, which cost no credits, have slots of their
 * own, so that they do not delay other sites, and share one address.
 */
export function separateSlots(
  clock: Clock,
  isSandbox: (host: string) => boolean,
): Pick<FairSlots, 'acquire'> {
  const [slots, sandboxSlots] = [siteSlots(clock), siteSlots(clock)];
  return {
    acquire: (request, domain = '', address = undefined) =>
      isSandbox(domain)
        ? sandboxSlots.acquire(request, domain)
        : slots.acquire(request, domain, address),
  };
}

/**
 * Returns the limits of a search in this process by its host name. crt.sh is free for everyone and often overloaded,
 * so it gets one request in five seconds. Other searches belong to the operator.
 */
export function searchLimits(host: string, clock: Clock) {
  return {
    /** Shared between accounts. */
    slots: new FairSlots({ maxInFlight: maxSearches, clock }),
    rate: new TokenBucket({ rate: host === 'crt.sh' ? 0.2 : 0, burst: 1 }),
  };
}
