import type { Clock } from '../clock.ts';
import { Problem } from '../domain/problems.ts';
import { RateLimit } from './rate-limit.ts';

/** The work of one request, in milliseconds of processor time. */
export interface WorkBudget {
  /**
   * Adds work that is about to be done. Throws `rate_limited` if the caller has exhausted its limit
   * for work without credits.
   */
  spend(ms: number): void;
  /** Discards the added work, as the request costs credits, which limit it instead. */
  refund(): void;
  /** Like `spend`, for work that is free whatever else the request costs. */
  spendFree(ms: number): void;
  /** Counts work that was done for free. */
  count(ms: number): void;
  /** Throws `rate_limited` if the caller has exhausted its limit for work or site lookups without credits. */
  checkFreeLookups(): void;
  /** Counts the work of a site lookup that contacted servers for free, whatever else the request costs. */
  countFreeLookup(ms: number): void;
}

/** The budget of a caller that is not limited, such as the operator's own programs. */
export const unlimitedWork: WorkBudget = {
  spend: () => undefined,
  refund: () => undefined,
  spendFree: () => undefined,
  count: () => undefined,
  checkFreeLookups: () => undefined,
  countFreeLookup: () => undefined,
};

/**
 * The processor time of work, in milliseconds, as measured on one core of 2024. Sandbox lookups
 * include the work of the sandbox itself.
 */
export const workMs = {
  /** Parsing an internationalized name, and its row. */
  names: (count: number) => 0.2 * count,
  /** Validating a document that is not cached. */
  tokens: (count: number) => 0.2 * Math.ceil(count / 4),
  /** The full schema. */
  introspection: 20,
  /** Lists without lookups, and the fields of their rows. */
  lists: (count: number, fields: number) => count + 0.005 * fields,
  sandboxVerdict: 0.9,
  /** The record of a name, or another object. */
  sandboxRecord: 1.2,
  /** Deriving the verdict of a receipt. */
  receipt: 15,
  /** Recording a receipt takes 15 ms, and storing it 5 KB for a month, which credits do not limit. */
  freeReceipt: 100,
  /** Values of objects and sites in a response. */
  values: (count: number) => 0.007 * count,
  /** Characters of stored records that are read. */
  characters: (count: number) => count / 100_000,
} as const;

/** A fifth of a core, at 600 requests per minute or more. */
const maxMsPerMinute = 12_000;
/** Processor time per request that a lower `RATE_LIMIT` allows. */
const msPerRequest = 20;
/** The work of how many requests fits into one burst, even with a low `RATE_LIMIT`. */
const minBurst = 60;

/**
 * Limits the processor time per caller for work that costs no credits: rejected requests, names
 * without a registry, lookups in the sandbox, introspection, lists, results that are too large. Uses a
 * token bucket. Work is counted at the end of the request, when it is certain that the request costs
 * no credits; what is free in any case is counted at once. Site lookups without credits also have a
 * bucket of their own, with one for each request that the rate limit allows.
 */
export function workLimit(requestsPerMinute: number, clock: Clock): OpenWorkBudget {
  // A full minute's work in one burst would block the event loop for seconds.
  const burst = Math.max(minBurst, Math.ceil(requestsPerMinute / 10));
  const msPerMinute = Math.min(maxMsPerMinute, requestsPerMinute * msPerRequest);
  const limit = new RateLimit(msPerMinute, clock, { burst: minBurst * msPerRequest });
  const siteLookups = new RateLimit(requestsPerMinute, clock, { burst });

  return (id, onResponseEnd) => {
    let ms = 0;
    onResponseEnd(() => limit.overdraw(id, ms));
    const check = () => throwIfExceeded(limit, id, freeWork);
    const count = (added: number) => limit.overdraw(id, added);

    return {
      spend(added) {
        if (added > 0) check();
        ms += added;
      },
      refund: () => void (ms = 0),
      spendFree(added) {
        if (added > 0) check();
        count(added);
      },
      count,
      checkFreeLookups() {
        check();
        throwIfExceeded(siteLookups, id, 'site lookups that cost no credits');
      },
      countFreeLookup(spent) {
        count(spent);
        siteLookups.overdraw(id, 1);
      },
    };
  };
}

const freeWork = 'names, records, lists or too large documents in requests that cost no credits';

/**
 * Starts the work budget of a request; `onResponseEnd` registers a task that runs when the
 * request has ended.
 */
export type OpenWorkBudget = (
  id: string | undefined,
  onResponseEnd: (task: () => void) => void,
) => WorkBudget;

/** Throws `rate_limited`. */
function throwIfExceeded(limit: RateLimit, id: string | undefined, what: string): void {
  if (limit.hasRoom(id)) return;
  const retryAfter = limit.peek(id)?.retryAfter ?? 0;
  throw new Problem('rate_limited', `Too many ${what}. Retry in ${retryAfter} s.`, { retryAfter });
}
