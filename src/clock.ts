/**
 * A source of time and timers. No other module reads the system clock; tests pass their own clock.
 */
export interface Clock {
  /** Returns milliseconds since the Unix epoch. */
  now(): number;
  /** Returns monotonic milliseconds with fractions, for measuring durations. */
  elapsed(): number;
  /**
   * Runs `task` once after `ms` milliseconds, at most 24 days. Returns a function that cancels it.
   * The timer does not keep the process alive.
   */
  after(ms: number, task: () => void): () => void;
}

/**
 * The limit of `setTimeout`: Node runs longer timers immediately. A delay may exceed it if the
 * system clock was set back.
 */
const maxTimeoutMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: Date.now,
  elapsed: performance.now.bind(performance),
  after(ms, task) {
    const timer = setTimeout(task, Math.min(ms, maxTimeoutMs)).unref();
    return () => clearTimeout(timer);
  },
};

/** When to stop waiting. */
export interface TimeLimit {
  readonly clock: Clock;
  readonly ms: number;
  readonly signal?: AbortSignal;
}

/** Resolves like `promise`, or to undefined if the time ends or the signal aborts first. */
export function withTimeLimit<T>(
  promise: Promise<T>,
  { clock, ms, signal }: TimeLimit,
): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const onEnd = () => {
      stop();
      resolve(undefined);
    };

    const cancelTimer = clock.after(Math.max(0, ms), onEnd);
    const stop = () => {
      cancelTimer();
      signal?.removeEventListener('abort', onEnd);
    };

    signal?.addEventListener('abort', onEnd, { once: true });
    promise.finally(stop).then(resolve, reject);
    if (signal?.aborted) onEnd();
  });
}

/**
 * Runs a task now, and again `ms` milliseconds after each run has ended. It must not reject. Returns a
 * function that stops it.
 */
export function repeatedly(
  clock: Clock,
  ms: number,
  task: (isStopped: () => boolean) => Promise<void>,
): () => void {
  let isStopped = false;
  let cancel: (() => void) | undefined;
  const run = async () => {
    await task(() => isStopped);
    if (!isStopped) cancel = clock.after(ms, () => void run());
  };

  void run();
  return () => {
    isStopped = true;
    cancel?.();
  };
}
