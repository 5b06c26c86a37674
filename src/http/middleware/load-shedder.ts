import type { Clock } from '../../clock.ts';
import { Problem } from '../../domain/problems.ts';
import { FairShares } from './fair-shares.ts';

/** A request that has been read and not yet been served. */
export interface QueuedRequest {
  /** What its share is counted by. */
  readonly address: string;
  /** By the clock's `elapsed`. */
  readonly waitingSince: number;
  /** Serves it. `release` must be called when its response is written or its client has disconnected. */
  serve(release: () => void): void;
  reject(): void;
  isDisconnected(): boolean;
}

interface QueueEntry {
  readonly request: QueuedRequest;
  readonly freeSlot: () => void;
}

/** Streams and requests that wait for a registry: a thousand are cheap, a hundred thousand are not. */
const maxInFlight = 5000;
/** As many as there may be connections. */
const maxQueued = 10_000;
/**
 * While as many requests wait as so many turns serve, connections that have had a response are not read: what waits in memory costs the
 * garbage collector time.
 */
const maxBatchesReadAhead = 2;
/** A request that has waited for longer is rejected. With the time to serve it, a response takes less than a second. */
const maxWaitMs = 800;
/**
 * For as long at most, requests are served before what else has arrived is read. In each turn of its event loop Node accepts one connection:
 * long turns would keep new ones waiting, `/health` among them, for seconds.
 */
const maxBatchMs = 2;
/** What a request is assumed to cost of the event loop at least and at most. */
const minCostMs = 0.02;
const maxCostMs = maxBatchMs;
const retryAfter = 1;

/**
 * Serves requests in the order of their arrival, in each turn of the event loop as many as take some 2 ms. Under overload requests wait in
 * the queue, where they cost nothing; only those that have waited for too long are rejected. Rejecting earlier would serve fewer: a client
 * that is rejected connects and sends again at once.
 */
export class LoadShedder {
  readonly #clock: Clock;
  readonly #inFlight = new FairShares(maxInFlight);
  readonly #inFlightByAccount = new FairShares(maxInFlight);
  readonly #queueSlots = new FairShares(maxQueued);
  #queue: QueueEntry[] = [];
  /** How many of them, at the last turn, waited for others of their address. They do not keep the others waiting. */
  #blocked = 0;
  /** Resumes reading, in the order in which it was paused. */
  #paused: (() => void)[] = [];
  #isStopping = false;
  #isSuspended = false;
  #isScheduled = false;
  #cancelExpiry: (() => void) | undefined;
  #costMs = 0.1;
  /** The turn before, where requests were left over: nothing but work lies between it and the next. */
  #busyBatch: { readonly at: number; readonly handled: number } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Requests that are being served. */
  get inFlight(): number {
    return this.#inFlight.used;
  }

  /** Requests that wait to be served. */
  get queued(): number {
    return this.#queue.length;
  }

  /** Queues a request; rejects it where too many wait. */
  acquire(request: QueuedRequest): void {
    const freeSlot = this.#queueSlots.take(request.address);
    if (!freeSlot) return request.reject();
    this.#queue.push({ request, freeSlot });
    this.#schedule();
  }

  /** Whether a connection is to pause before its next request is read; if so, `resume` is called when it is its turn. */
  pause(resume: () => void): boolean {
    if (this.#readAhead < this.#maxReadAhead || this.#isStopping) return false;
    this.#paused.push(resume);
    return true;
  }

  /** Has the requests of all connections read that are still to be served, pauses none any more, and serves none until `resume`. */
  suspend(): void {
    this.#isStopping = true;
    this.#isSuspended = true;
    for (const resume of this.#paused.splice(0)) resume();
  }

  /** Serves again. */
  resume(): void {
    this.#isSuspended = false;
    this.#schedule();
  }

  /** Counts a request that is being served as its account's; returns how to release it. Throws `overloaded`. */
  countAccount(account: string): () => void {
    const release = this.#inFlightByAccount.take(account);
    if (release) return release;
    throw new Problem(
      'overloaded',
      'Too many requests with this key are being served; send more when they are answered.',
      { retryAfter },
    );
  }

  #schedule(): void {
    if (this.#isScheduled || this.#isSuspended) return;
    this.#isScheduled = true;
    setImmediate(() => this.#serveBatch());
  }

  #serveBatch(): void {
    this.#isScheduled = false;
    if (this.#isSuspended) return;
    const now = this.#clock.elapsed();
    this.#updateCost(now);
    const maxHandled = this.#maxBatchSize;
    const blocked: QueueEntry[] = [];
    let handled = 0;
    let next = 0;
    while (next < this.#queue.length && handled < maxHandled) {
      const queued = this.#queue[next++] as QueueEntry;
      if (this.#handle(queued, now)) handled += 1;
      else blocked.push(queued);
    }
    const isBusy = next < this.#queue.length;
    this.#queue = [...blocked, ...this.#queue.slice(next)];
    this.#blocked = blocked.length;
    this.#busyBatch = isBusy ? { at: now, handled } : undefined;
    for (const resume of this.#paused.splice(0, Math.max(this.#maxReadAhead - this.#readAhead, 0)))
      resume();
    if (isBusy || this.#paused.length > 0) this.#schedule();
    else this.#awaitExpiry(now);
  }

  /** Serves, rejects or drops a request; false where it waits for those of its address, or for all, to be answered. */
  #handle({ request, freeSlot }: QueueEntry, now: number): boolean {
    const hasExpired = now - request.waitingSince >= maxWaitMs;
    const release =
      hasExpired || request.isDisconnected() ? undefined : this.#inFlight.take(request.address);
    if (!release && !hasExpired && !request.isDisconnected()) return false;
    freeSlot();
    if (release) request.serve(() => this.#release(release));
    else if (!request.isDisconnected()) request.reject();
    return true;
  }

  #release(release: () => void): void {
    release();
    if (this.#queue.length > 0) this.#schedule();
  }

  /** What is left in the queue is blocked: it is rejected in time if nothing is released before. */
  #awaitExpiry(now: number): void {
    this.#cancelExpiry?.();
    this.#cancelExpiry = undefined;
    const [first] = this.#queue;
    if (first)
      this.#cancelExpiry = this.#clock.after(first.request.waitingSince + maxWaitMs - now, () =>
        this.#schedule(),
      );
  }

  get #maxBatchSize(): number {
    return Math.floor(maxBatchMs / this.#costMs);
  }

  get #readAhead(): number {
    return this.#queue.length - this.#blocked;
  }

  get #maxReadAhead(): number {
    return maxBatchesReadAhead * this.#maxBatchSize;
  }

  #updateCost(now: number): void {
    if (!this.#busyBatch) return;
    const costMs = (now - this.#busyBatch.at) / this.#busyBatch.handled;
    this.#costMs = Math.min(Math.max(0.9 * this.#costMs + 0.1 * costMs, minCostMs), maxCostMs);
  }
}
