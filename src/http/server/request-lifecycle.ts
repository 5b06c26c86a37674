import type { ServerResponse } from 'node:http';

/** From the reading of a request to the end of its response. */
export class RequestLifecycle {
  readonly #response: ServerResponse;
  readonly #tasks: (() => void)[] = [];
  /** Made on demand: most responses are there before a client could disconnect. */
  #disconnect: AbortController | undefined;
  #hasEnded = false;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  /** Returns a signal that is aborted when the client disconnects before it has the response. */
  signal(): AbortSignal {
    this.#disconnect ??= new AbortController();
    if (this.#hasDisconnected()) this.#disconnect.abort();
    return this.#disconnect.signal;
  }

  /** Runs a task when the response is written, read or not, or the client has disconnected before that. */
  onEnd(task: () => void): void {
    if (this.#hasEnded) task();
    else this.#tasks.push(task);
  }

  /** Must be called when the response is written, and when it is closed. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    if (this.#hasDisconnected()) this.#disconnect?.abort();
    for (const task of this.#tasks) task();
  }

  /** Once the response is written, what it started may go on. */
  #hasDisconnected(): boolean {
    return this.#hasEnded && !this.#response.writableEnded;
  }
}
