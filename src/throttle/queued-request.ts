import type { DomainName } from '../domain/domain-name.ts';
import type { AttemptRequest } from '../domain/source.ts';
import type { Problem } from '../domain/problems.ts';
import type { Permit } from './request-queue.ts';

type Result = Permit | Problem;

/** Waits in the queue of a host for a permit or a problem. */
export class QueuedRequest {
  readonly name: DomainName;
  readonly attempt: AttemptRequest;
  #result: Result | undefined;
  #onSettled: ((result: Result) => void) | undefined;

  constructor(name: DomainName, attempt: AttemptRequest) {
    this.name = name;
    this.attempt = attempt;
  }

  /** Undefined while it waits. */
  get result(): Result | undefined {
    return this.#result;
  }

  settle(result: Result): void {
    this.#result = result;
    this.#onSettled?.(result);
  }

  /** Resolves when it is settled. Calls `onAbort` if its caller disconnects before that. */
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
