import type { Clock } from '../clock.ts';
import { Problem } from '../domain/problems.ts';
import { FairShares } from './fair-shares.ts';

/** A request that has been read but not served yet. */
export interface WaitingRequest {
  /** The address whose share it counts against. */
  readonly address: string;
  /**
   * Serves the request. Calls `release` when its response is written or its client has
   * disconnected.
   */
  serve(release: () => void): void;
  reject(): void;
  isDisconnected(): boolean;
}

interface QueueEntry {
  readonly request: WaitingRequest;
  /** Time as of `Clock.elapsed`. */
  readonly waitingSince: number;
  readonly freeSlot: () => void;
}

/**
 * Includes streams and requests that wait for a registry: a thousand are cheap, a hundred thousand
 * are not.
 */
const maxInFlight = 5000;
/** Equals the maximum number of connections. */
const maxQueued = 10_000;
/**
 * A request that has waited longer is rejected. Including the time to serve it, a response takes
 * less than a second.
 */
const maxWaitMs = 800;
/**
 * Maximum time to serve requests in one iteration of the event loop. Node accepts one connection
 * per iteration, so long ones would delay new connections by seconds, including those for
 * `/health`.
 */
const maxBatchMs = 2;
/** Bounds of the estimated event loop time per request. */
const minCostMs = 0.02;
const maxCostMs = maxBatchMs;
const retryAfter = 1;

/**
 * Serves requests in order of arrival, for about 2 ms in each iteration of the event loop. Under
 * overload, requests wait in the queue, where they cost nothing, and only those that have waited
 * too long are rejected. Rejecting earlier would serve fewer: a rejected client reconnects and
 * sends again immediately.
 */
export class LoadShedder {
  readonly #clock: Clock;
  readonly #inFlight = new FairShares(maxInFlight);
  readonly #inFlightByAccount = new FairShares(maxInFlight);
  readonly #queueSlots = new FairShares(maxQueued);
  #queue: QueueEntry[] = [];
  #isSuspended = false;
  #isScheduled = false;
  #cancelExpiry: (() => void) | undefined;
  #costMs = 0.1;
  /**
   * The last batch, if requests remained in the queue: the time until the next batch is then the
   * cost of its requests.
   */
  #busyBatch: { readonly at: number; readonly handled: number } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get inFlight(): number {
    return this.#inFlight.used;
  }

  get queued(): number {
    return this.#queue.length;
  }

  /** Queues a request. Rejects it if the queue is full, or the share of its address is. */
  acquire(request: WaitingRequest): void {
    const freeSlot = this.#queueSlots.take(request.address);
    if (!freeSlot) return request.reject();
    this.#queue.push({ request, waitingSince: this.#clock.elapsed(), freeSlot });
    this.#schedule();
  }

  /** Serves no request until `resume`. */
  suspend(): void {
    this.#isSuspended = true;
  }

  resume(): void {
    this.#isSuspended = false;
    this.#schedule();
  }

  /**
   * Counts a request in flight against its account. Returns the function that releases it. Throws
   * `overloaded`.
   */
  countAccount(account: string): () => void {
    const release = this.#inFlightByAccount.take(account);
    if (release) return release;
    throw new Problem(
      'overloaded',
      'Too many requests with this API key are in flight. Wait for a response before sending more.',
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
    const maxHandled = Math.floor(maxBatchMs / this.#costMs);
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
    this.#busyBatch = isBusy ? { at: now, handled } : undefined;
    if (isBusy) this.#schedule();
    else this.#awaitExpiry(now);
  }

  /**
   * Serves, rejects or drops a request. Returns false if too many, in total or of its address, are
   * in flight.
   */
  #handle({ request, waitingSince, freeSlot }: QueueEntry, now: number): boolean {
    const hasExpired = now - waitingSince >= maxWaitMs;
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

  /**
   * Schedules the rejection of the oldest request in the queue, in case no slot is released before.
   */
  #awaitExpiry(now: number): void {
    this.#cancelExpiry?.();
    this.#cancelExpiry = undefined;
    const [first] = this.#queue;
    if (first)
      this.#cancelExpiry = this.#clock.after(first.waitingSince + maxWaitMs - now, () =>
        this.#schedule(),
      );
  }

  #updateCost(now: number): void {
    if (!this.#busyBatch) return;
    const costMs = (now - this.#busyBatch.at) / this.#busyBatch.handled;
    this.#costMs = Math.min(Math.max(0.9 * this.#costMs + 0.1 * costMs, minCostMs), maxCostMs);
  }
}
