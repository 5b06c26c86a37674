import type { Clock } from '../../clock.ts';

export interface TimeLimit {
  readonly clock: Clock;
  readonly ms: number;
  readonly signal: AbortSignal;
}

/** Resolves like `promise`, or to undefined if the time ends or the signal aborts first. */
export function withTimeLimit<T>(
  promise: Promise<T>,
  { clock, ms, signal }: TimeLimit,
): Promise<T | undefined> {
  if (signal.aborted) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    const onEnd = () => {
      stop();
      resolve(undefined);
    };
    const cancelTimer = clock.after(Math.max(0, ms), onEnd);
    const stop = () => {
      cancelTimer();
      signal.removeEventListener('abort', onEnd);
    };
    signal.addEventListener('abort', onEnd, { once: true });
    promise.finally(stop).then(resolve, reject);
  });
}
