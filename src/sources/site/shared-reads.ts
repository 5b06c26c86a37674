import { Problem } from '../../domain/problems.ts';
import type { SiteRequest } from '../../domain/site/site-facts.ts';

/** Starts a read for all callers that wait for it. */
export type StartRead<T> = (request: SiteRequest) => Promise<T>;

/** Shares one read in flight per key between concurrent callers. */
export class SharedReads {
  readonly #reads = new Map<string, SharedRead<unknown>>();

  /**
   * Joins the read of a key in flight, or starts one. Rejects as the read does, and with
   * `site_timeout` if the caller disconnects. A read that no caller waits for is cancelled unless it
   * was sent.
   */
  join<T>(key: string, caller: SiteRequest, start: StartRead<T>): Promise<T> {
    const existing = this.#reads.get(key) as SharedRead<T> | undefined;
    const read = existing ?? new SharedRead<T>(caller, start);
    if (!existing) {
      this.#reads.set(key, read);
      void read.settled.then(() => this.#remove(key, read));
    }
    return read.wait(caller, () => this.#remove(key, read));
  }

  #remove(key: string, read: object): void {
    if (this.#reads.get(key) === read) this.#reads.delete(key);
  }
}

class SharedRead<T> {
  readonly #abort = new AbortController();
  readonly #callers = new Set<SiteRequest>();
  readonly #result: Promise<T>;
  readonly settled: Promise<unknown>;
  #isSent = false;

  constructor({ account, queueDeadline }: SiteRequest, start: StartRead<T>) {
    this.#result = start({
      account,
      queueDeadline,
      signal: this.#abort.signal,
      onSent: () => this.#recordSent(),
    });
    this.settled = this.#result.catch(() => undefined);
  }

  /** `onCancel` is called if no caller waits any more for a read that was not sent. */
  wait(caller: SiteRequest, onCancel: () => void): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#callers.add(caller);
    if (this.#isSent) caller.onSent?.();
    const leave = () => {
      this.#callers.delete(caller);
      caller.signal.removeEventListener('abort', disconnect);
    };
    const disconnect = () => {
      leave();
      reject(new Problem('site_timeout', 'The caller disconnected before the site was read.'));
      if (this.#callers.size > 0 || this.#isSent) return;
      onCancel();
      this.#abort.abort();
    };
    caller.signal.addEventListener('abort', disconnect, { once: true });
    this.#result.then(resolve, reject).finally(leave);
    if (caller.signal.aborted) disconnect();
    return promise;
  }

  #recordSent(): void {
    this.#isSent = true;
    for (const { onSent } of this.#callers) onSent?.();
  }
}
