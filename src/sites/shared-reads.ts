import { Problem } from '../domain/problems.ts';
import type { SiteRequest } from './site-facts.ts';

/** Starts a read. `request` is on behalf of all callers that wait for it. */
export type StartRead<T> = (request: SiteRequest) => Promise<T>;

/** Shares reads in flight between concurrent callers, by key. */
export class SharedReads {
  /** The reads in flight, of type `SharedRead<T>`, with the `T` of the key. */
  readonly #reads = new Map<string, object>();

  /**
   * Joins the read of a key in flight, or starts one. A read that waits to be sent is shared only
   * within an account: it has the priority of that account. Rejects as the read does, and with
   * `site_timeout` if the caller disconnects. A read that no caller waits for is cancelled unless it
   * was sent.
   */
  join<T>(key: string, caller: SiteRequest, start: StartRead<T>): Promise<T> {
    const queuedKey = JSON.stringify([key, caller.account]);
    if (caller.signal.aborted) return Promise.reject(disconnected());

    const existing = this.#reads.get(key) ?? this.#reads.get(queuedKey);
    if (existing) return (existing as SharedRead<T>).wait(caller);

    const read = new SharedRead<T>({
      onSent: () => void this.#reads.set(key, read),
      onEnd: () => {
        this.#remove(key, read);
        this.#remove(queuedKey, read);
      },
    });
    this.#reads.set(queuedKey, read);

    const result = read.wait(caller);
    read.run(caller.account, start);
    return result;
  }

  #remove(key: string, read: object): void {
    if (this.#reads.get(key) === read) this.#reads.delete(key);
  }
}

interface ReadEvents {
  readonly onSent: () => void;
  /** Called if the read is settled or cancelled. */
  readonly onEnd: () => void;
}

/** A read in flight, and the callers that wait for it. */
class SharedRead<T> {
  readonly #abort = new AbortController();
  readonly #callers = new Set<SiteRequest>();
  readonly #events: ReadEvents;
  readonly #result = Promise.withResolvers<T>();
  #queueDeadline = -Infinity;
  #isSent = false;

  constructor(events: ReadEvents) {
    this.#events = events;
  }

  /** Starts the read, for the callers that wait for it. */
  run(account: string, start: StartRead<T>): void {
    const latestDeadline = () => this.#latestDeadline();
    const result = start({
      account,
      get queueDeadline() {
        return latestDeadline();
      },
      signal: this.#abort.signal,
      onSent: () => this.#recordSent(),
    });

    this.#result.resolve(result.finally(this.#events.onEnd));
  }

  /** Waits for the result. Rejects as the read does, and with `site_timeout` if the caller disconnects. */
  wait(caller: SiteRequest): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#callers.add(caller);
    if (this.#isSent) caller.onSent?.();

    const stopWaiting = () => {
      this.#callers.delete(caller);
      caller.signal.removeEventListener('abort', disconnect);
    };

    const disconnect = () => {
      stopWaiting();
      reject(disconnected());
      if (this.#callers.size > 0 || this.#isSent) return;
      this.#events.onEnd();
      this.#abort.abort();
    };

    caller.signal.addEventListener('abort', disconnect, { once: true });
    this.#result.promise.then(resolve, reject).finally(stopWaiting);
    return promise;
  }

  /** Returns the latest deadline of all callers, also of those that disconnected. */
  #latestDeadline(): number {
    const deadlines = Array.from(this.#callers, ({ queueDeadline }) => queueDeadline);
    return (this.#queueDeadline = Math.max(this.#queueDeadline, ...deadlines));
  }

  /** Throws if no caller waits any more: nothing may be sent then. */
  #recordSent(): void {
    if (this.#abort.signal.aborted) throw disconnected();
    if (!this.#isSent) this.#events.onSent();
    this.#isSent = true;
    for (const { onSent } of this.#callers) onSent?.();
  }
}

function disconnected(): Problem {
  return new Problem('site_timeout', 'The caller disconnected before the site was read.');
}
