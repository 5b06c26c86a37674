/**
 * The calls in progress of clients with a 2025 revision, which cancel a call in another request.
 * The calls of one process: a cancellation that reaches another process has no effect.
 */
export class RunningCalls {
  readonly #controllers = new Map<string, AbortController>();

  /** Adds a call. Returns a signal that is aborted when it is cancelled. */
  add(id: string, onEnd: (task: () => void) => void): AbortSignal {
    const controller = new AbortController();
    this.#controllers.set(id, controller);
    onEnd(() => {
      if (this.#controllers.get(id) === controller) this.#controllers.delete(id);
    });
    return controller.signal;
  }

  /** Cancels a call. Without effect if it is not in progress. */
  cancel(id: string): void {
    this.#controllers.get(id)?.abort();
  }
}
