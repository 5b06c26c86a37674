import type { ServerResponse } from 'node:http';
import { systemClock } from '../../clock.ts';
import type { Log } from '../../log.ts';
import { logFields, type HttpRequestContext } from '../http-request-context.ts';
import type { Timeouts } from './timeouts.ts';

/** Ends the wait for a client. Returns its duration, in milliseconds. */
type EndWait = () => number;

/**
 * Aborts responses that are not read in time. Progress does not extend the timeout: a client could
 * read one byte at a time forever.
 */
export class SlowReaders {
  readonly #timeouts: Timeouts;
  readonly #log: Log;
  /** The responses that wait for their clients, oldest first. */
  readonly #unread = new Set<{ readonly abort: () => void }>();
  #unreadBytes = 0;

  constructor(timeouts: Timeouts, log: Log) {
    this.#timeouts = timeouts;
    this.#log = log;
  }

  /**
   * Aborts a response of `bytes` bytes unless the wait is ended in time. `waitedMs` is the total
   * duration of earlier waits for the same response.
   */
  wait(response: ServerResponse, bytes: number, http: HttpRequestContext, waitedMs = 0): EndWait {
    const { readTimeoutMs, minBytesPerMs, totalReadTimeoutMs, maxUnreadBytes } = this.#timeouts;
    const timeoutMs = Math.min(
      readTimeoutMs + bytes / minBytesPerMs,
      totalReadTimeoutMs - waitedMs,
    );
    const startedAt = systemClock.elapsed();
    let timer: NodeJS.Timeout | undefined;
    const startTimer = () => void (timer = setTimeout(abort, timeoutMs).unref());
    const end = () => {
      response.off('socket', startTimer);
      clearTimeout(timer);
      if (this.#unread.delete(unread)) this.#unreadBytes -= bytes;
      return systemClock.elapsed() - startedAt;
    };
    const abort = () => {
      response.destroy();
      this.#log.warn(logFields(http), 'Response aborted: client too slow.');
      end();
    };
    const unread = { abort };
    // A pipelined response has no socket until the previous one has been sent.
    if (response.socket) startTimer();
    else response.once('socket', startTimer);
    this.#unread.add(unread);
    this.#unreadBytes += bytes;
    for (const oldest of this.#unread) {
      if (this.#unreadBytes <= maxUnreadBytes) break;
      oldest.abort();
    }
    return end;
  }
}
