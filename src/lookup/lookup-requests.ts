import type { Clock } from '../clock.ts';
import type { LookupObserver, LookupRequest, Priority } from '../domain/source.ts';
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

/** The requests of the lookups of one operation. */
export type LookupRequests = ReturnType<typeof openRequests>;

/** Opens the requests of an operation. Their signal aborts what is not sent at its end. */
export function openRequests(
  { clock, request, queueTimeoutMs }: LookupRequestOptions,
  priority: Priority,
  progress: LookupProgress,
  values: ValueLimit,
) {
  const ending = new AbortController();
  const observer: LookupObserver = {
    onSent: (name, joined = false) => progress.recordSent(name, joined),
    onJoined: (name) => progress.recordJoined(name),
  };

  let isLinked = false;
  let first: LookupRequest | undefined;
  let continued: LookupRequest | undefined;
  const create = (): LookupRequest => {
    const requested = request();
    if (!isLinked) abortWith(ending, requested.signal, values.signal);
    isLinked = true;
    return { ...requested, signal: ending.signal, priority, observer };
  };

  return {
    /** The request of all names of the plan. */
    first: () => (first ??= create()),
    /** The request of the lookups that go on after the end, unless the client disconnects. */
    continued: () => (continued ??= { ...create(), ...request() }),
    /**
     * Returns a request whose queue timeout starts now: the registry has answered, and another host
     * has another queue.
     */
    later: (): LookupRequest => ({ ...create(), queueDeadline: clock.now() + queueTimeoutMs }),
    /** Whether the operation has ended, its client is gone, or its response is too large. */
    isAborted: () => ending.signal.aborted,
    /** Drops the lookups that are not sent, and later ones. */
    end: () => ending.abort(ended),
  };
}

/** A reason of its own, because AbortController would create one, with a stack, for each operation. */
const ended = new Error('The operation has ended.');
