import type { DomainName } from '../domain/domain-name.ts';
import type { Asker } from '../domain/registry.ts';
import type { Problem } from '../problems.ts';
import type { Permit } from './request-queue.ts';

type Result = Permit | Problem;

/** Waits in the queue of a host for a permit or a problem. */
export class QueuedRequest {
  readonly name: DomainName;
  readonly asker: Asker;
  #result: Result | undefined;
  #onSettled: ((result: Result) => void) | undefined;

  constructor(name: DomainName, asker: Asker) {
    this.name = name;
    this.asker = asker;
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
  settled(onAbort: () => void): Promise<Result> {
    const { signal } = this.asker;
    return new Promise((resolve) => {
      this.#onSettled = (result) => {
        signal.removeEventListener('abort', onAbort);
        resolve(result);
      };
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }
}
