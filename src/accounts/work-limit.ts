import type { Clock } from '../clock.ts';
import { Problem } from '../domain/problems.ts';
import { RateLimit } from './rate-limit.ts';

/** The work of one request; a unit is the work of parsing one name. */
export interface WorkBudget {
  /**
   * Adds work that is about to be done. Throws `rate_limited` if the caller has exhausted its limit
   * for work without credits.
   */
  spend(units: number): void;
  /** Discards the added work, as the request costs credits, which limit it instead. */
  refund(): void;
  /** Throws `rate_limited` if the caller has exhausted its limit for site lookups without credits. */
  checkSiteLookups(): void;
  /** Counts a site lookup that contacted servers for free, whatever else the request costs. */
  countSiteLookup(): void;
}

/** The budget of a caller that is not limited, such as the operator's own programs. */
export const unlimitedWork: WorkBudget = {
  spend: () => undefined,
  refund: () => undefined,
  checkSiteLookups: () => undefined,
  countSiteLookup: () => undefined,
};

/**
 * Work in units. Validating a document that is not cached takes as long per four tokens as parsing
 * a name.
 */
export const workUnits = {
  tokens: (count: number) => Math.ceil(count / 4),
  /** The full schema takes about 5 ms. */
  introspection: 100,
} as const;

/** Units per request that `RATE_LIMIT` allows. */
const unitsPerRequest = 100;
/** The work of how many requests fits into one burst, even with a low `RATE_LIMIT`. */
const minBurst = 60;

/**
 * Limits the work per caller that costs no credits: rejected requests, names without a registry,
 * introspection. Uses a token bucket in proportion to the rate limit. Work is counted at the end of
 * the request, when it is certain that the request costs no credits. Site lookups without credits
 * have a bucket of their own, with one for each request that the rate limit allows.
 */
export function workLimit(requestsPerMinute: number, clock: Clock): OpenWorkBudget {
  // A full minute's work in one burst would block the event loop for seconds.
  const burst = Math.max(minBurst, Math.ceil(requestsPerMinute / 10));
  const bucket = (perRequest: number) =>
    new RateLimit(requestsPerMinute * perRequest, clock, { burst: burst * perRequest });
  const limit = bucket(unitsPerRequest);
  const siteLookups = bucket(1);
  return (id, onResponseClosed) => {
    let units = 0;
    onResponseClosed(() => limit.overdraw(id, units));
    return {
      spend(added) {
        const state = added > 0 ? limit.peek(id) : undefined;
        if (state && !state.allowed)
          throw limitExceeded(
            'names or too large documents in requests that cost no credits',
            state.retryAfter,
          );
        units += added;
      },
      refund: () => void (units = 0),
      checkSiteLookups() {
        const state = siteLookups.peek(id);
        if (state && !state.allowed)
          throw limitExceeded('site lookups that cost no credits', state.retryAfter);
      },
      countSiteLookup: () => siteLookups.overdraw(id, 1),
    };
  };
}

/**
 * Starts the work budget of a request; `onResponseClosed` registers a task that runs when the
 * request has ended.
 */
export type OpenWorkBudget = (
  id: string | undefined,
  onResponseClosed: (task: () => void) => void,
) => WorkBudget;

function limitExceeded(what: string, retryAfter: number): Problem {
  return new Problem('rate_limited', `Too many ${what}. Retry in ${retryAfter} s.`, { retryAfter });
}
