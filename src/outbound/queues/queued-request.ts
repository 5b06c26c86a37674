import type { DomainName } from '../../domain/domain-name.ts';
import type { AttemptRequest } from '../../domain/source.ts';
import type { Problem } from '../../domain/problems.ts';
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
