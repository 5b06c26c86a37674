import type { Clock } from '../../clock.ts';
import { Problem } from '../../domain/problems.ts';

/** Queries are retried at each resolver, so several slow resolvers could take longer. */
const maxReadMs = 5000;

/**
 * Resolves like `read`; rejects with `site_timeout` if it takes more than five seconds, or the
 * signal aborts.
 */
export function withTimeLimit<T>(
  read: Promise<T>,
  name: string,
  clock: Clock,
  signal: AbortSignal,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const onEnd = () => {
      stop();
      reject(new Problem('site_timeout', `The DNS records of ${name} were not read in time.`));
    };
    const cancelTimer = clock.after(maxReadMs, onEnd);
    const stop = () => {
      cancelTimer();
      signal.removeEventListener('abort', onEnd);
    };
    signal.addEventListener('abort', onEnd, { once: true });
    read.finally(stop).then(resolve, reject);
    if (signal.aborted) onEnd();
  });
}
