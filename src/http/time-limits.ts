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
  lastRequestsTimeout: 500,
};

/** Sheds slow readers. How much was taken lately does not count: who takes a byte now and then would be waited for without end. */
export function readingPatience({ readingTimeout, slowestBytesPerMs }: TimeLimits, log: Log): Patience {
  return (response, bytes, call) => {
    let timer: NodeJS.Timeout | undefined;
    const cut = () => {
      log.warn(logged(call), 'an answer was cut off: its reader was too slow');
      response.destroy();
    };
    const start = () => void (timer = setTimeout(cut, readingTimeout + bytes / slowestBytesPerMs).unref());
    // A pipelined answer has no socket until the one before it has left.
    if (response.socket) start();
    else response.once('socket', start);
    return () => {
      response.off('socket', start);
      clearTimeout(timer);
    };
  };
}
