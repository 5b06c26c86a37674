import { LRUCache } from 'lru-cache';
import { atMost } from '../../shared/lru.ts';
import type { Clock } from '../../clock.ts';
import { failedAnswer, type Answer, type NameData } from '../../domain/answer.ts';
import {
  keyOf,
  priorities,
  type LookupRequest,
  type Priority,
  type Query,
  type Urgency,
} from '../../domain/source.ts';
import { Problem } from '../../domain/problems.ts';

/** More lookups than usually complete between the cache read of an operation and its lookups. */
const maxCompleted = 10_000;

/**
 * Shares one in-flight lookup per name between concurrent callers. Those for which a delegation is
 * sufficient have their own, because it may end without an answer of the registry.
 */
export class SingleFlight<T = NameData> {
  readonly #lookups = new Map<string, InFlightLookup<T>>();
  readonly #callers: CallerGroups;
  /** The sequence numbers of the most recently completed lookups, by key. */
  readonly #completed = new LRUCache<string, number>(atMost(maxCompleted));
  #completedCount = 0;
  #isStopped = false;

  constructor(clock: Clock) {
    this.#callers = new CallerGroups(clock);
  }

  /** The number of lookups in flight. */
  get size(): number {
    return this.#lookups.size;
  }

  /** The number of lookups completed so far. */
  get completedCount(): number {
    return this.#completedCount;
  }

  /** Returns whether a lookup of a key may have completed since `completedCount` was `count`. */
  hasCompletedSince(key: string, count: number): boolean {
    const isForgotten = this.#completedCount - count > maxCompleted;
    // `get` would prolong the life of this key at the cost of later lookups.
    return isForgotten || (this.#completed.peek(key) ?? 0) > count;
  }

  /**
   * Joins the in-flight lookup of the name, or starts one with `start`, which must not reject. Never
   * rejects. Settles early if the caller disconnects, or if its queue deadline passes while the
   * lookup is queued for other callers.
   */
  lookUp(
    query: Query,
    caller: LookupRequest,
    start: (request: LookupRequest) => Promise<Answer<T>>,
  ): Promise<Answer<T>> {
    if (caller.signal.aborted) return Promise.resolve(disconnected());
    if (this.#isStopped) return Promise.resolve(notSentInTime());

    const key = keyOf(query);
    const id = `${query.confirm ?? 'ALL'} ${key} ${query.language ?? ''}`;
    const joined = this.#lookups.get(id);
    const lookup = joined ?? this.#start(id, key, caller, start);

    return new Promise((resolve) => {
      const settle = (answer: Answer<T>) => {
        stopWaiting();
        this.#removeWaiter(id, lookup, settle);
        resolve(answer);
      };

      const stopWaiting = this.#callers.wait(caller, {
        onAbort: () => settle(disconnected()),
        onTimeout: () => !lookup.isSent && settle(notSentInTime()),
      });

      lookup.addWaiter(settle, caller);
      if (joined) caller.observer?.onJoined(key);
      if (lookup.isSent) caller.observer?.onSent(key, joined !== undefined);
    });
  }

  /** Fails all current and future lookups, for shutdown. */
  stop(): void {
    this.#isStopped = true;
    for (const lookup of this.#lookups.values())
      lookup.settle(lookup.isSent ? notAnsweredInTime() : notSentInTime());
  }

  #start(
    id: string,
    key: string,
    caller: LookupRequest,
    start: (request: LookupRequest) => Promise<Answer<T>>,
  ): InFlightLookup<T> {
    const lookup = new InFlightLookup<T>(caller);
    this.#lookups.set(id, lookup);
    void start(lookup.request).then((answer) => {
      this.#remove(id, lookup);
      this.#completed.set(key, (this.#completedCount += 1));
      lookup.settle(answer);
    });

    return lookup;
  }

  #removeWaiter(id: string, lookup: InFlightLookup<T>, settle: Settle<T>): void {
    if (lookup.removeWaiter(settle) > 0 || lookup.isSent) return;
    // The last caller disconnected before the lookup was sent: remove it from its queue.
    this.#remove(id, lookup);
    lookup.abort();
  }

  #remove(id: string, lookup: InFlightLookup<T>): void {
    if (this.#lookups.get(id) === lookup) this.#lookups.delete(id);
  }
}

type Settle<T> = (answer: Answer<T>) => void;

/** A lookup, and the callers that wait for it. */
class InFlightLookup<T> {
  readonly #waiters = new Map<Settle<T>, LookupRequest>();
  readonly #abort = new AbortController();
  readonly #onUrgency = new Set<(urgency: Urgency) => void>();
  /**
   * Has the highest priority of the waiting callers and the latest deadline of all that ever
   * joined; callers with earlier deadlines time out individually.
   */
  readonly request: LookupRequest & { queueDeadline: number; priority: Priority };
  isSent = false;

  constructor({ account, queueDeadline, priority }: LookupRequest) {
    this.request = {
      signal: this.#abort.signal,
      account,
      queueDeadline,
      priority,
      observer: {
        onSent: (key, joined = false) => this.#recordSent(key, joined),
        onJoined: (key) => this.#waiters.forEach((caller) => caller.observer?.onJoined(key)),
      },
      onUrgency: (listener) => {
        this.#onUrgency.add(listener);
        return () => this.#onUrgency.delete(listener);
      },
    };
  }

  addWaiter(settle: Settle<T>, caller: LookupRequest): void {
    const { priority, queueDeadline } = this.request;
    this.#waiters.set(settle, caller);
    if (caller.priority !== priority || caller.queueDeadline > queueDeadline)
      this.#updateUrgency(caller.queueDeadline);
  }

  /** Returns how many callers are still waiting. */
  removeWaiter(settle: Settle<T>): number {
    this.#waiters.delete(settle);
    if (this.#waiters.size > 0) this.#updateUrgency();
    return this.#waiters.size;
  }

  settle(answer: Answer<T>): void {
    const waiters = Array.from(this.#waiters.keys());
    this.#waiters.clear();
    for (const settle of waiters) settle(answer);
  }

  abort(): void {
    this.#abort.abort();
  }

  #recordSent(key: string, joined: boolean): void {
    this.isSent = true;
    // The first waiting caller counts as the one that sent the lookup; the others joined it.
    for (const [index, caller] of Array.from(this.#waiters.values()).entries())
      caller.observer?.onSent(key, joined || index > 0);
  }

  #updateUrgency(deadline = 0): void {
    const { priority, queueDeadline } = this.request;
    const waiting = new Set(Array.from(this.#waiters.values(), (caller) => caller.priority));
    this.request.priority = priorities.find((each) => waiting.has(each)) ?? priority;
    this.request.queueDeadline = Math.max(queueDeadline, deadline);

    if (this.request.priority === priority && this.request.queueDeadline === queueDeadline) return;

    for (const listener of this.#onUrgency) listener(this.request);
  }
}

/** One of the lookups that a caller waits for. */
interface Wait {
  onAbort(): void;
  /** Called when the caller's queue deadline has passed. */
  onTimeout(): void;
}

interface CallerGroup {
  readonly waits: Set<Wait>;
  dispose(): void;
}

/**
 * Uses one listener and one timer for all lookups of a caller. A caller may have hundreds, and
 * `AbortSignal` compares each new listener with all existing ones.
 */
class CallerGroups {
  readonly #clock: Clock;
  readonly #groups = new WeakMap<LookupRequest, CallerGroup>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Notifies `wait` of the caller's abort and timeout until the returned function is called. */
  wait(caller: LookupRequest, wait: Wait): () => void {
    const group = this.#groups.get(caller) ?? this.#createGroup(caller);
    group.waits.add(wait);
    return () => {
      group.waits.delete(wait);
      if (group.waits.size === 0) group.dispose();
    };
  }

  #createGroup(caller: LookupRequest): CallerGroup {
    const waits = new Set<Wait>();
    const onAbort = () => waits.forEach((wait) => wait.onAbort());
    const cancelTimer = this.#clock.after(caller.queueDeadline - this.#clock.now() + 1, () => {
      // A later lookup of the same caller needs a new timer.
      this.#groups.delete(caller);
      waits.forEach((wait) => wait.onTimeout());
    });

    caller.signal.addEventListener('abort', onAbort, { once: true });
    const dispose = () => {
      cancelTimer();
      caller.signal.removeEventListener('abort', onAbort);
      if (this.#groups.get(caller)?.waits === waits) this.#groups.delete(caller);
    };

    const group = { waits, dispose };
    this.#groups.set(caller, group);
    return group;
  }
}

const disconnected = () => failedAnswer(new Problem('registry_busy', 'The caller disconnected.'));
const notSentInTime = () =>
  failedAnswer(
    new Problem('registry_busy', 'The lookup could not be sent in time. Try again later.', {
      retryAfter: 1,
    }),
  );
const notAnsweredInTime = () =>
  failedAnswer(
    new Problem(
      'registry_timeout',
      'The gateway is stopping, and the registry has not responded yet. Try again later.',
    ),
  );
