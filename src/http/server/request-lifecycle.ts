import type { ServerResponse } from 'node:http';

/** Tracks a request until its response has ended. */
export class RequestLifecycle {
  readonly #response: ServerResponse;
  readonly #tasks: (() => void)[] = [];
  /** Created on demand: most responses are ready before a client could disconnect. */
  #disconnect: AbortController | undefined;
  #hasEnded = false;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  /** Returns a signal that is aborted if the client disconnects before the response is written. */
  signal(): AbortSignal {
    this.#disconnect ??= new AbortController();
    if (this.#hasDisconnected()) this.#disconnect.abort();
    return this.#disconnect.signal;
  }

  /**
   * Runs a task when the response is written, even if it is not read, or the client disconnects.
   */
  onEnd(task: () => void): void {
    if (this.#hasEnded) task();
    else this.#tasks.push(task);
  }

  /** Ends the request. Must be called when the response is written, and when it is closed. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    if (this.#hasDisconnected()) this.#disconnect?.abort();
    for (const task of this.#tasks) task();
  }

  /** Returns false once the response is written: work that the request started may go on. */
  #hasDisconnected(): boolean {
    return this.#hasEnded && !this.#response.writableEnded;
  }
}
