import type { ServerResponse } from 'node:http';

/** A client's waiting for one answer. */
export interface Visit {
  /** Aborted when he leaves before he has it. */
  readonly signal: () => AbortSignal;
  /** Runs a task when the answer is written, read or not, or the client has disconnected before that. */
  readonly whenDone: (task: () => void) => void;
  /** To be called when the answer is written, and when it is closed. */
  end(): void;
}

/**
 * A signal is made for who wants one: most answers are there before anybody could leave. By a method: an object that is made with a getter
 * has a shape of its own, which would keep the request in memory until the next full collection.
 */
export function visitOf(response: ServerResponse): Visit {
  const tasks: (() => void)[] = [];
  let left: AbortController | undefined;
  let ended = false;
  // Once the answer is written, what it started may go on.
  const hasLeft = () => ended && !response.writableEnded;
  return {
    signal() {
      left ??= new AbortController();
      if (hasLeft()) left.abort();
      return left.signal;
    },
    whenDone(task) {
      if (ended) task();
      else tasks.push(task);
    },
    end() {
      if (ended) return;
      ended = true;
      if (hasLeft()) left?.abort();
      for (const task of tasks) task();
    },
  };
}
