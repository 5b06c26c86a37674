import { systemClock } from '../clock.ts';
import type { Log } from '../log.ts';
import { logged } from './call.ts';
import type { Patience } from './send.ts';

/** How long a client may take, in milliseconds. The first four are those of node's server. */
export interface TimeLimits {
  readonly headersTimeout: number;
  /** Headers and body. */
  readonly requestTimeout: number;
  /** For the next request on a connection. */
  readonly keepAliveTimeout: number;
  readonly connectionsCheckingInterval: number;
  /** For an answer to be read, beside what its length takes at the slowest pace. */
  readonly readingTimeout: number;
  readonly slowestBytesPerMs: number;
  /** For an answer to be read in all, however long it is; of a stream, the time in which it waits for its reader. */
  readonly totalReadingTimeout: number;
  /** Bytes of all answers that wait for their readers; beyond them, the answer that has waited longest is cut off. */
  readonly maxUnreadBytes: number;
  /** For requests that are on their way when the gateway stops. */
  readonly lastRequestsTimeout: number;
}

/** Slow clients are shed within seconds, while everybody else is served: node's own limits are minutes, and none for readers. */
export const timeLimits: TimeLimits = {
  headersTimeout: 5000,
  requestTimeout: 10_000,
  keepAliveTimeout: 5000,
  connectionsCheckingInterval: 500,
  readingTimeout: 30_000,
  slowestBytesPerMs: 10,
  totalReadingTimeout: 300_000,
  maxUnreadBytes: 256 * 1024 * 1024,
  lastRequestsTimeout: 500,
};

/** Sheds slow readers. How much was taken lately does not count: who takes a byte now and then would be waited for without end. */
export function readingPatience(limits: TimeLimits, log: Log): Patience {
  const { readingTimeout, slowestBytesPerMs, totalReadingTimeout, maxUnreadBytes } = limits;
  /** The answers that wait for their readers, the one that has waited longest first. */
  const unread = new Set<{ readonly bytes: number; cut(): void }>();
  let unreadBytes = 0;

  return (response, bytes, call, waitedMs = 0) => {
    let timer: NodeJS.Timeout | undefined;
    const startedAt = systemClock.elapsed();
    const cut = () => {
      log.warn(logged(call), 'an answer was cut off: its reader was too slow');
      response.destroy();
      end();
    };
    const waiting = { bytes, cut };
    const end = () => {
      response.off('socket', start);
      clearTimeout(timer);
      if (unread.delete(waiting)) unreadBytes -= bytes;
      return systemClock.elapsed() - startedAt;
    };
    const timeoutMs = Math.min(readingTimeout + bytes / slowestBytesPerMs, totalReadingTimeout - waitedMs);
    const start = () => void (timer = setTimeout(cut, timeoutMs).unref());
    // A pipelined answer has no socket until the one before it has left.
    if (response.socket) start();
    else response.once('socket', start);
    unread.add(waiting);
    unreadBytes += bytes;
    for (const longest of unread) {
      if (unreadBytes <= maxUnreadBytes) break;
      longest.cut();
    }
    return end;
  };
}
