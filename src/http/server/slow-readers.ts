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
  readonly #unread = new Set<UnreadResponse>();
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
    const unread = new UnreadResponse(response, bytes, timeoutMs, () => {
      this.#log.warn(logFields(http), 'Response aborted: client too slow.');
      this.#end(unread);
    });
    this.#unread.add(unread);
    this.#unreadBytes += bytes;
    for (const oldest of this.#unread) {
      if (this.#unreadBytes <= maxUnreadBytes) break;
      oldest.abort();
    }
    return () => this.#end(unread);
  }

  #end(unread: UnreadResponse): number {
    if (this.#unread.delete(unread)) this.#unreadBytes -= unread.bytes;
    return unread.endWait();
  }
}

class UnreadResponse {
  readonly bytes: number;
  readonly #response: ServerResponse;
  readonly #onAbort: () => void;
  readonly #startedAt = systemClock.elapsed();
  readonly #startTimer: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(response: ServerResponse, bytes: number, timeoutMs: number, onAbort: () => void) {
    this.bytes = bytes;
    this.#response = response;
    this.#onAbort = onAbort;
    this.#startTimer = () => void (this.#timer = setTimeout(() => this.abort(), timeoutMs).unref());
    // A pipelined response has no socket until the previous one has been sent.
    if (response.socket) this.#startTimer();
    else response.once('socket', this.#startTimer);
  }

  abort(): void {
    this.#response.destroy();
    this.#onAbort();
  }

  endWait(): number {
    this.#response.off('socket', this.#startTimer);
    clearTimeout(this.#timer);
    return systemClock.elapsed() - this.#startedAt;
  }
}
