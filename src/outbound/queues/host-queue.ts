import type { Clock } from '../../clock.ts';
import type { HostStatus } from '../../domain/catalogue.ts';
import type { AttemptRequest, RequestOutcome } from '../../domain/source.ts';
import type { Problem } from '../../domain/problems.ts';
import type { DailyAllowance } from './daily-allowance.ts';
import { FairQueue } from './fair-queue.ts';
import { HostHealth, type HostRequest } from './host-health.ts';
import type { HostLimits } from './host-limits.ts';
import {
  QueuedRequest,
  rejected,
  type RejectionReason,
  type Permit,
  type RequestQueue,
} from './request-queue.ts';
import { TokenBucket } from './token-bucket.ts';

interface HostQueueOptions {
  readonly host: string;
  readonly limits: HostLimits;
  readonly clock: Clock;
  readonly dailyAllowance?: DailyAllowance | undefined;
  /** When the current back-off of the host ends, in epoch ms. */
  readonly backoffUntil?: number;
  /** Called with the end of a new back-off (epoch ms) when the host returns 429 or 503. */
  readonly onBackoff?: (until: number) => void;
}

/** For a 429 or 503 without `Retry-After`. */
const defaultBackoffSeconds = 1;

/**
 * Queues the requests to one registry host, and sends each when the host's limits and health allow
 * it.
 */
export class HostQueue implements RequestQueue {
  readonly #host: string;
  readonly #rate: number;
  readonly #clock: Clock;
  readonly #onBackoff: (until: number) => void;
  readonly #allowance: TokenBucket;
  readonly #dailyAllowance: DailyAllowance | undefined;
  readonly #health: HostHealth;
  readonly #queue = new FairQueue<QueuedRequest>();
  #inFlight = 0;
  #sentCount = 0;
  /** By `clock.elapsed()`. */
  #lastUsedAt: number;
  #wakeAt = Infinity;
  #cancelWake: (() => void) | undefined;

  constructor({
    host,
    limits,
    clock,
    dailyAllowance,
    backoffUntil = 0,
    onBackoff = () => {},
  }: HostQueueOptions) {
    this.#host = host;
    this.#rate = limits.rate;
    this.#clock = clock;
    this.#onBackoff = onBackoff;
    this.#allowance = new TokenBucket(limits, clock);
    this.#dailyAllowance = dailyAllowance;
    this.#health = new HostHealth(limits.concurrency, backoffUntil);
    this.#lastUsedAt = clock.elapsed();
  }

  acquire(name: string, attempt: AttemptRequest): Permit | Problem | Promise<Permit | Problem> {
    this.#lastUsedAt = this.#clock.elapsed();
    const rejection = this.#rejectionOf(attempt);
    if (rejection) return rejection;
    const request = new QueuedRequest(name, attempt);
    this.#queue.add(request);
    this.#drain();
    return (
      request.result ??
      request.waitUntilSettled(() =>
        this.#settle(request, this.#rejected('queueFull', this.#clock.now())),
      )
    );
  }

  /** Applies a back-off that another node received and that ends at `until` (epoch ms). */
  backOff(until: number): void {
    if (this.#health.backOff(until)) this.#drain();
  }

  status(): HostStatus {
    return {
      queued: this.#queue.size,
      inFlight: this.#inFlight,
      maxInFlight: this.#health.limit,
      rate: this.#rate,
      dailyAllowanceUsed: this.#dailyAllowance?.usedShare ?? null,
      ...this.#health.status(this.#clock.now()),
    };
  }

  /**
   * Returns how long the queue has been idle; 0 while it has requests, a back-off, or an allowance
   * that is not full.
   */
  idleMs(): number {
    return this.#isIdle() ? this.#clock.elapsed() - this.#lastUsedAt : 0;
  }

  #isIdle(): boolean {
    const now = this.#clock.now();
    return (
      this.#queue.size === 0 &&
      this.#inFlight === 0 &&
      this.#health.backoffUntil(now) <= now &&
      this.#allowance.isFull
    );
  }

  backgroundIntervalMs(): number | undefined {
    if (this.#dailyAllowance || !this.#isIdle()) return undefined;
    return this.#rate === 0 ? 0 : 10_000 / this.#rate;
  }

  #rejectionOf(attempt: AttemptRequest): Problem | undefined {
    const now = this.#clock.now();
    const rejection = this.#rejectionOfAccount(attempt.account, now);
    if (rejection) return rejection;
    const readyAt = Math.max(this.#health.backoffUntil(now), this.#readyAt(attempt));
    if (attempt.signal.aborted || readyAt > attempt.queueDeadline)
      return this.#rejected('queueFull', readyAt);
    return attempt.retry && !this.#health.takeRetry(now)
      ? this.#rejected('queueFull', now)
      : undefined;
  }

  /** Returns the problem that blocks both new and queued requests of an account, if any. */
  #rejectionOfAccount(account: string, now: number): Problem | undefined {
    const blockedUntil = this.#health.blockedUntil(account, now);
    if (blockedUntil !== undefined) return this.#rejected('circuitOpen', blockedUntil);
    const allowedAt = this.#health.allowedAt(account, now);
    if (allowedAt !== undefined) return this.#rejected('tooManyFailures', allowedAt);
    const shareAt = this.#dailyAllowance?.allowedAt(account);
    return shareAt === undefined ? undefined : this.#rejected('dailyShareUsed', shareAt);
  }

  /**
   * Returns when a new request may be sent. Its exact position is computed only if the last one
   * misses the deadline.
   */
  #readyAt(attempt: AttemptRequest): number {
    const lastReadyAt = this.#allowance.readyAt(this.#queue.size + 1);
    return lastReadyAt > attempt.queueDeadline
      ? this.#allowance.readyAt(this.#queue.countAhead(attempt) + 1)
      : lastReadyAt;
  }

  /** Sends and rejects queued requests as far as possible now, and schedules the next attempt. */
  #drain(): void {
    const now = this.#clock.now();
    if (this.#queue.size > 0) {
      if (this.#health.isBlocked(now)) this.#rejectBlocked(now);
      this.#rejectExpired(now);
      while (
        now >= this.#health.backoffUntil(now) &&
        this.#countSendable(now) > 0 &&
        this.#allowance.take()
      )
        this.#sendNext(now);
    }
    this.#scheduleWake(now);
  }

  /** Returns how many queued requests can be sent within the concurrency limits. */
  #countSendable(now: number): number {
    return this.#queue.countSendable(Math.max(this.#health.limit - this.#inFlight, 0), (account) =>
      this.#health.freeSlots(account, now),
    );
  }

  #sendNext(now: number): void {
    const next = this.#queue.next((account) => this.#health.freeSlots(account, now) > 0);
    if (!next) return;
    const request = { name: next.name, account: next.attempt.account };
    this.#sentCount += 1;
    this.#inFlight += 1;
    this.#health.recordSent(request, now);
    this.#dailyAllowance?.record(request.account);
    this.#settle(next, this.#createPermit(request, now));
    // The request may have been the last one that some accounts could send today.
    if (this.#dailyAllowance) this.#rejectBlocked(now);
  }

  #createPermit(request: HostRequest, sentAt: number): Permit {
    let hasEnded = false;
    const end = (outcome: RequestOutcome) => {
      if (!hasEnded) this.#onEnd(request, outcome, sentAt);
      hasEnded = true;
    };
    const recordResponse = () => {
      const before = this.#sentCount;
      end({});
      return this.#sentCount > before;
    };
    return { recordResponse, end };
  }

  #onEnd(request: HostRequest, { failure, problem }: RequestOutcome, sentAt: number): void {
    const now = this.#clock.now();
    this.#lastUsedAt = this.#clock.elapsed();
    this.#inFlight -= 1;
    this.#health.recordEnd(request, failure, sentAt, now);
    if (failure !== undefined) this.#rejectBlocked(now);
    if (failure === 'busy') {
      const until = now + (problem?.retryAfter ?? defaultBackoffSeconds) * 1000;
      if (this.#health.backOff(until)) this.#onBackoff(until);
    }
    this.#drain();
  }

  /** Rejects the queued requests of the accounts that may not send. */
  #rejectBlocked(now: number): void {
    for (const account of this.#queue.accounts) {
      const rejection = this.#rejectionOfAccount(account, now);
      if (rejection)
        for (const request of this.#queue.ofAccount(account)) this.#settle(request, rejection);
    }
  }

  #rejectExpired(now: number): void {
    const earliest = Math.max(now, this.#health.backoffUntil(now), this.#allowance.readyAt(1));
    for (const request of this.#queue.findExpired(earliest))
      this.#settle(request, this.#rejected('queueFull', earliest));
  }

  #settle(request: QueuedRequest, result: Permit | Problem): void {
    this.#queue.delete(request);
    request.settle(result);
  }

  #scheduleWake(now: number): void {
    const wakeAt =
      this.#queue.size > 0
        ? Math.max(Math.min(this.#queue.nextDeadline + 1, this.#nextSendAt(now)), now)
        : Infinity;
    if (wakeAt === this.#wakeAt) return;
    this.#wakeAt = wakeAt;
    this.#cancelWake?.();
    this.#cancelWake =
      wakeAt < Infinity ? this.#clock.after(wakeAt - now, () => this.#wake()) : undefined;
  }

  /** Returns when a queued request may be sent; Infinity if a slot must become free first. */
  #nextSendAt(now: number): number {
    return this.#countSendable(now) > 0
      ? Math.max(this.#health.backoffUntil(now), this.#allowance.readyAt(1))
      : Infinity;
  }

  #wake(): void {
    this.#wakeAt = Infinity;
    this.#drain();
  }

  #rejected(reason: RejectionReason, until: number): Problem {
    const seconds = Math.ceil((until - this.#clock.now()) / 1000);
    return rejected(reason, this.#host, Math.max(1, seconds));
  }
}
