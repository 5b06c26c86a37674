import { Problem } from '../../domain/problems.ts';
import type { AttemptRequest, RequestOutcome } from '../../domain/source.ts';

/** Queues requests to one host until they may be sent. */
export interface RequestQueue {
  /**
   * Returns a permit when the request may be sent: synchronously if that is now. Returns a problem
   * otherwise: `registry_busy` immediately if the request cannot be sent by `queueDeadline`, too
   * many lookups of its account failed, or the account has used its share of the day;
   * `registry_error` while the circuit breaker is open. Never rejects.
   */
  acquire(name: string, request: AttemptRequest): Permit | Problem | Promise<Permit | Problem>;
  /**
   * Returns the ms between requests for which no caller waits: they get a tenth of the rate.
   * Undefined if none may be sent now, because callers have used the host in the last seconds or
   * its requests per day are limited.
   */
  backgroundIntervalMs(): number | undefined;
}

/** Allows one request to a host. */
export interface Permit {
  /**
   * Records a successful response before it is parsed, and sends queued requests. Returns whether
   * one was sent.
   */
  recordResponse(): boolean;
  /** Records the outcome of the request. Only the first call of either method has an effect. */
  end(outcome: RequestOutcome): void;
}

type Result = Permit | Problem;

/** A request in a host queue, which is settled with a permit or a problem. */
export class QueuedRequest {
  readonly name: string;
  readonly attempt: AttemptRequest;
  #result: Result | undefined;
  #onSettled: ((result: Result) => void) | undefined;

  constructor(name: string, attempt: AttemptRequest) {
    this.name = name;
    this.attempt = attempt;
  }

  /** Undefined while the request is queued. */
  get result(): Result | undefined {
    return this.#result;
  }

  settle(result: Result): void {
    this.#result = result;
    // Reported with the permit, so that no lookup is aborted between the two.
    if (!(result instanceof Problem)) this.attempt.observer?.onSent(this.name);
    this.#onSettled?.(result);
  }

  /**
   * Resolves when the request is settled. Calls `onAbort` if the caller disconnects before that.
   */
  waitUntilSettled(onAbort: () => void): Promise<Result> {
    const { signal } = this.attempt;
    return new Promise((resolve) => {
      this.#onSettled = (result) => {
        signal.removeEventListener('abort', onAbort);
        resolve(result);
      };
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }
}

/** Why a request to a host is not sent. */
const reasons = {
  queueFull: (host: string) => `The lookup cannot be sent to ${host} in time.`,
  tooManyFailures: (host: string) =>
    `Too many of your lookups at ${host} failed in the last minute.`,
  dailyShareUsed: (host: string) =>
    `Your share of the requests that ${host} allows per day is used.`,
  circuitOpen: (host: string) => `${host} has failed repeatedly.`,
} as const;

export type RejectionReason = keyof typeof reasons;

/** Creates the problem of a request that may be sent in `retryAfter` seconds. */
export function rejected(reason: RejectionReason, host: string, retryAfter: number): Problem {
  const [code, next] =
    reason === 'circuitOpen'
      ? (['registry_error', 'It is queried again'] as const)
      : (['registry_busy', 'Try again'] as const);
  return new Problem(code, `${reasons[reason](host)} ${next} in ${retryAfter} s.`, { retryAfter });
}
