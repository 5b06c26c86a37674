import type { DomainName } from '../../domain/domain-name.ts';
import type { AttemptRequest } from '../../domain/source.ts';
import { Problem } from '../../domain/problems.ts';
import type { Permit } from './request-queue.ts';

type Result = Permit | Problem;

/** A request in a host queue, which is settled with a permit or a problem. */
export class QueuedRequest {
  readonly name: DomainName;
  readonly attempt: AttemptRequest;
  #result: Result | undefined;
  #onSettled: ((result: Result) => void) | undefined;

  constructor(name: DomainName, attempt: AttemptRequest) {
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

/** Creates the problem of a request that cannot be sent before its queue deadline. */
export function queueFull(host: string, retryAfter: number): Problem {
  return new Problem(
    'registry_busy',
    `The lookup cannot be sent to ${host} in time. Try again in ${retryAfter} s.`,
    { retryAfter },
  );
}

/** Creates the problem of an account with too many failed lookups at the host. */
export function tooManyFailures(host: string, retryAfter: number): Problem {
  const detail = `Too many of your lookups at ${host} failed in the last minute. Try again in ${retryAfter} s.`;
  return new Problem('registry_busy', detail, { retryAfter });
}

/** Creates the problem of an account that has used its share of the host's daily allowance. */
export function dailyShareUsed(host: string, retryAfter: number): Problem {
  const detail = `Your share of the requests that ${host} allows per day is used. Try again in ${retryAfter} s.`;
  return new Problem('registry_busy', detail, { retryAfter });
}

/** Creates the problem of a request to a host whose circuit breaker is open. */
export function circuitOpen(host: string, retryAfter: number): Problem {
  return new Problem(
    'registry_error',
    `${host} has failed repeatedly. It is queried again in ${retryAfter} s.`,
    { retryAfter },
  );
}
