import { Problem } from '../../domain/problems.ts';
import {
  priorities,
  type AttemptRequest,
  type RequestOutcome,
  type Urgency,
} from '../../domain/source.ts';

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
  /** Its rank, from 0 to `leastUrgent`. */
  urgency: number;
  /** Latest time of sending, in epoch ms. */
  deadline: number;
  /** Increases with each request that is queued. */
  position = 0;
  /** The indexes in the heaps of the queue. */
  deadlineIndex = -1;
  ownIndex = -1;
  #result: Result | undefined;
  #onSettled: ((result: Result) => void) | undefined;

  constructor(name: string, attempt: AttemptRequest) {
    this.name = name;
    this.attempt = attempt;
    this.urgency = rankOf(attempt);
    this.deadline = attempt.queueDeadline;
  }

  /** Undefined while the request is queued. */
  get result(): Result | undefined {
    return this.#result;
  }

  /**
   * Settles the request with a permit, and returns it. Calls `onEnd` with the outcome of the request;
   * it returns whether another one was sent.
   */
  send(onEnd: (outcome: RequestOutcome) => boolean): Permit {
    let hasEnded = false;
    const end = (outcome: RequestOutcome): boolean => {
      if (hasEnded) return false;
      hasEnded = true;
      return onEnd(outcome);
    };

    const permit = { recordResponse: () => end({}), end };
    this.#result = permit;
    // Reported with the permit, so that no lookup is aborted between the two.
    this.attempt.observer?.onSent(this.name);
    this.#onSettled?.(permit);
    return permit;
  }

  reject(problem: Problem): void {
    this.#result = problem;
    this.#onSettled?.(problem);
  }

  /**
   * Resolves when the request is settled. Until then, calls `onAbort` if the caller disconnects, and
   * `onUrgency` when urgency or deadline have changed.
   */
  waitUntilSettled(onAbort: () => void, onUrgency: (urgency: Urgency) => void): Promise<Result> {
    const { signal, responseDeadline } = this.attempt;
    // Retries and redirects have the rank and the deadline of their lookup, which has been sent.
    const follow = responseDeadline === undefined ? this.attempt.onUrgency : undefined;
    const unfollow = follow?.(onUrgency);

    return new Promise((resolve) => {
      this.#onSettled = (result) => {
        signal.removeEventListener('abort', onAbort);
        unfollow?.();
        resolve(result);
      };
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }
}

/**
 * Returns the rank of a request, lowest first. Retries and redirects rank first: their time limit
 * has started.
 */
export function rankOf({
  responseDeadline,
  priority,
}: Pick<AttemptRequest, 'responseDeadline' | 'priority'>): number {
  return responseDeadline === undefined ? priorities.indexOf(priority) + 1 : 0;
}

export const leastUrgent = priorities.length;

/** Why a request to a host is not sent. */
const reasons = {
  notInTime: (host: string) => `The lookup cannot be sent to ${host} in time.`,
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

const maxRequests = 100;

/** Computes latency and error rate over the latest requests to a host. */
export class HostStats {
  readonly #requests: { readonly ms: number; readonly failed: boolean }[] = [];

  add(ms: number, failed: boolean): void {
    this.#requests.push({ ms, failed });
    if (this.#requests.length > maxRequests) this.#requests.shift();
  }

  get p50Ms(): number | null {
    const sorted = this.#requests.map(({ ms }) => ms).toSorted((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)] ?? null;
  }

  get errorRate(): number | null {
    return this.#requests.length > 0
      ? this.#requests.filter(({ failed }) => failed).length / this.#requests.length
      : null;
  }
}
