import type { Clock } from '../clock.ts';
import { Problem } from '../domain/problems.ts';
import { RateLimit } from './rate-limit.ts';

/** The work of one request, in units of one name that is read. */
export interface WorkBudget {
  /** Notes work that is about to be done. Throws `rate_limited` if the caller has used up what it may do for free. */
  spend(units: number): void;
  /** Forgets what was noted: the request costs credits, which limit it. */
  refund(): void;
}

/** Work in units: a document that is not known yet is validated, which takes as long as reading a name for every four of its tokens. */
export const workUnits = {
  tokens: (count: number) => Math.ceil(count / 4),
  /** A whole schema takes some 5 ms. */
  introspection: 100,
} as const;

/** Per request that `RATE_LIMIT` allows. */
const unitsPerRequest = 100;
/** At once, however few requests are allowed: some large calls. */
const minBurst = 6000;

/**
 * Limits per caller the work that costs no credits: requests that are rejected, names without a registry, introspection. A token bucket in
 * proportion to the rate limit. The work of a request counts when it ends, as only then it is certain that it costs nothing.
 */
export function workLimit(requestsPerMinute: number, clock: Clock): OpenWorkBudget {
  const perMinute = requestsPerMinute * unitsPerRequest;
  // A whole minute's work at once would keep the event loop from serving others for seconds.
  const limit = new RateLimit(perMinute, clock, {
    burst: Math.max(minBurst, Math.ceil(perMinute / 10)),
  });
  return (id, onResponseClosed) => {
    let units = 0;
    onResponseClosed(() => limit.overdraw(id, units));
    return {
      spend(added) {
        const state = added > 0 ? limit.peek(id) : undefined;
        if (state && !state.allowed) throw workLimitExceeded(state.retryAfter);
        units += added;
      },
      refund: () => void (units = 0),
    };
  };
}

/** Opens the work of a request of a caller; `whenDone` runs a task when the request has ended. */
export type OpenWorkBudget = (
  id: string | undefined,
  onResponseClosed: (task: () => void) => void,
) => WorkBudget;

function workLimitExceeded(retryAfter: number): Problem {
  const detail = `Too many names, or too large documents, in requests that cost no credits; try again in ${retryAfter} s.`;
  return new Problem('rate_limited', detail, { retryAfter });
}
