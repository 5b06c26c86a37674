import type { Clock } from '../clock.ts';
import type { LookupRequest, Priority } from '../domain/source.ts';
import { abortWith } from '../shared/abort-with.ts';
import type { LookupProgress } from './lookup-progress.ts';
import type { ValueLimit } from './value-limit.ts';

export interface LookupRequestOptions {
  readonly clock: Clock;
  /** Returns the account, signal and queue deadline of lookups; called before the first one. */
  readonly request: () => Omit<LookupRequest, 'priority'>;
  /** Maximum time of a lookup in a queue. */
  readonly queueTimeoutMs: number;
}

/** The requests of the lookups of one operation. Their signal aborts what is not sent at its end. */
export class LookupRequests {
  readonly #options: LookupRequestOptions;
  readonly #priority: Priority;
  readonly #progress: LookupProgress;
  readonly #values: ValueLimit;
  readonly #ending = new AbortController();
  #isLinked = false;
  #first: LookupRequest | undefined;
  #continued: LookupRequest | undefined;

  constructor(
    options: LookupRequestOptions,
    priority: Priority,
    progress: LookupProgress,
    values: ValueLimit,
  ) {
    this.#options = options;
    this.#priority = priority;
    this.#progress = progress;
    this.#values = values;
  }

  /** Whether the operation has ended, its client is gone, or its response is too large. */
  get isAborted(): boolean {
    return this.#ending.signal.aborted;
  }

  /** The request of all names of the plan. */
  get first(): LookupRequest {
    return (this.#first ??= this.#create());
  }

  /** The request of the lookups that go on after the end, unless the client disconnects. */
  get continued(): LookupRequest {
    return (this.#continued ??= { ...this.#create(), ...this.#options.request() });
  }

  /**
   * Returns a request whose queue timeout starts now: the registry has answered, and another host
   * has another queue.
   */
  later(): LookupRequest {
    const { clock, queueTimeoutMs } = this.#options;
    return { ...this.#create(), queueDeadline: clock.now() + queueTimeoutMs };
  }

  /** Drops the lookups that are not sent, and later ones. */
  end(): void {
    this.#ending.abort(ended);
  }

  #create(): LookupRequest {
    const request = this.#options.request();
    if (!this.#isLinked) abortWith(this.#ending, request.signal, this.#values.signal);
    this.#isLinked = true;

    return {
      ...request,
      signal: this.#ending.signal,
      priority: this.#priority,
      observer: {
        onSent: (name, joined = false) => this.#progress.recordSent(name, joined),
        onJoined: (name) => this.#progress.recordJoined(name),
      },
    };
  }
}

/** A reason of its own, because AbortController would create one, with a stack, for each operation. */
const ended = new Error('The operation has ended.');
