import type { ServerResponse } from 'node:http';

/** A client's waiting for one answer. */
export interface Visit {
  /** Aborted when he leaves before he has it. */
  readonly signal: () => AbortSignal;
  /** Runs a task when the answer is sent, or he is gone. */
  readonly whenDone: (task: () => void) => void;
  /** To be called once, when the answer is closed. */
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
  // Who has the whole answer has not left: what it started may go on.
  const hasLeft = () => ended && !response.writableFinished;
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
      ended = true;
      if (hasLeft()) left?.abort();
      for (const task of tasks) task();
    },
  };
}
