import type { AttemptRequest } from '../../domain/source.ts';
import { Problem } from '../../domain/problems.ts';
import type { Permit } from './request-queue.ts';

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
