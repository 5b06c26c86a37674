import type { Clock } from '../../clock.ts';
import type { HostStatus } from '../../domain/host-status.ts';
import type { AttemptRequest, RequestOutcome } from '../../domain/source.ts';
import type { Problem } from '../../domain/problems.ts';
import type { DailyAllowance } from './daily-allowance.ts';
import { AccountLimits } from './account-limits.ts';
import { maxBackoffMs } from './backoffs.ts';
import { CircuitBreaker, RetryBudget } from './circuit-breaker.ts';
import { FairQueue } from './fair-queue.ts';
import type { HostLimits } from './host-limits.ts';
import {
  HostStats,
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

/** How long a host is left alone after a 429 or 503 without `Retry-After`. */
const defaultBackoffSeconds = 1;

/** Queues the requests to one registry host, and sends each when its limits and health allow it. */
export class HostQueue implements RequestQueue {
  readonly #options: HostQueueOptions;
  readonly #allowance: TokenBucket;
  readonly #watchAllowance: TokenBucket;
  readonly #breaker = new CircuitBreaker();
  readonly #accounts: AccountLimits;
  readonly #retries = new RetryBudget();
  readonly #stats = new HostStats();
  readonly #queue = new FairQueue();
  #sentCount = 0;
  /** When the current back-off ends, in epoch ms. */
  #backoffUntil: number;
  /** Time as of `clock.elapsed()`. */
  #lastUsedAt: number;
  #wakeAt = Infinity;
  #cancelWake: (() => void) | undefined;

  constructor(options: HostQueueOptions) {
    const { limits, clock, backoffUntil = 0 } = options;
    this.#options = options;
    this.#allowance = new TokenBucket(limits);
    this.#watchAllowance = new TokenBucket(limits.watch ?? limits);
    this.#accounts = new AccountLimits(limits.concurrency);
    this.#backoffUntil = backoffUntil;
    this.#lastUsedAt = clock.elapsed();
  }

  acquire(name: string, attempt: AttemptRequest): Permit | Problem | Promise<Permit | Problem> {
    this.#lastUsedAt = this.#options.clock.elapsed();
    const now = this.#options.clock.now();
    const rejection = this.#rejectionOf(attempt, now);
    if (rejection) return rejection;

    const request = new QueuedRequest(name, attempt);
    // Ordinarily, nothing is queued, and a request whose account is not blocked need not be either.
    const hasSlot = this.#accounts.freeSlots(attempt.account, now) > 0;
    if (this.#queue.size === 0 && hasSlot && this.#isReady(now)) return this.#send(request, now);

    this.#queue.add(request);
    this.#drain(now);
    return (
      request.result ??
      request.waitUntilSettled(
        () => this.#reject(request, this.#rejected('notInTime', now, now)),
        (urgency) => this.#queue.update(request, urgency),
      )
    );
  }

  /** Applies a back-off that another node received and that ends at `until` (epoch ms). */
  backOff(until: number): void {
    if (this.#extendBackoff(until)) this.#drain(this.#options.clock.now());
  }

  status(): HostStatus {
    const now = this.#options.clock.now();
    const backoffUntil = this.#backoffEnd(now);
    const openUntil = this.#breaker.openUntil(now);
    const retryAt = Math.max(backoffUntil, openUntil ?? 0);
    return {
      queued: this.#queue.size,
      inFlight: this.#accounts.inFlight,
      maxInFlight: this.#accounts.host.limit,
      rate: this.#options.limits.rate,
      dailyAllowanceUsed: this.#options.dailyAllowance?.usedShare ?? null,
      backoffUntil: backoffUntil > now ? backoffUntil : null,
      circuitOpen: openUntil !== undefined,
      retryAt: retryAt > now ? retryAt : null,
      p50Ms: this.#stats.p50Ms,
      errorRate: this.#stats.errorRate,
    };
  }

  /** Returns how long the queue has been idle, in ms; 0 while it is in use, or has not recovered. */
  idleMs(): number {
    return this.#isIdle() ? this.#options.clock.elapsed() - this.#lastUsedAt : 0;
  }

  #isIdle(): boolean {
    const now = this.#options.clock.now();
    return (
      this.#queue.size === 0 &&
      this.#accounts.inFlight === 0 &&
      this.#backoffEnd(now) <= now &&
      this.#allowance.isFull(now)
    );
  }

  backgroundIntervalMs(): number | undefined {
    if (this.#options.dailyAllowance || !this.#isIdle()) return undefined;
    const { rate } = this.#options.limits;
    return rate === 0 ? 0 : 10 * (1000 / rate); // a tenth of the rate
  }

  /** Returns when the back-off ends, in epoch ms; a time in the past if there is none. */
  #backoffEnd(now: number): number {
    // A longer back-off was recorded while the clock was ahead.
    if (this.#backoffUntil > now + maxBackoffMs) this.#backoffUntil = now;
    return this.#backoffUntil;
  }

  /** Records a back-off. Returns false if the current one is at least that long. */
  #extendBackoff(until: number): boolean {
    if (until <= this.#backoffUntil) return false;
    this.#backoffUntil = until;
    return true;
  }

  #rejectionOf(attempt: AttemptRequest, now: number): Problem | undefined {
    const rejection = this.#rejectionOfAccount(attempt.account, now);
    if (rejection) return rejection;
    if (attempt.priority === 'watch' && !this.#watchAllowance.take(now))
      return this.#rejected('notInTime', this.#watchAllowance.readyAt(1, now), now);
    const readyAt = Math.max(this.#backoffEnd(now), this.#readyAt(attempt, now));
    if (attempt.signal.aborted || readyAt > attempt.queueDeadline)
      return this.#rejected('notInTime', readyAt, now);
    return attempt.retry && !this.#retries.takeRetry(now)
      ? this.#rejected('notInTime', now, now)
      : undefined;
  }

  /** Returns the problem that blocks both new and queued requests of an account, if any. */
  #rejectionOfAccount(account: string, now: number): Problem | undefined {
    const blockedUntil = this.#breaker.blockedUntil(account, now);
    if (blockedUntil !== undefined) return this.#rejected('circuitOpen', blockedUntil, now);
    const allowedAt = this.#accounts.allowedAt(account, now);
    if (allowedAt !== undefined) return this.#rejected('tooManyFailures', allowedAt, now);
    const shareAt = this.#options.dailyAllowance?.allowedAt(account);
    return shareAt === undefined ? undefined : this.#rejected('dailyShareUsed', shareAt, now);
  }

  /**
   * Returns when a new request may be sent. Its exact position is computed only if the last one
   * misses the deadline.
   */
  #readyAt(attempt: AttemptRequest, now: number): number {
    const lastReadyAt = this.#allowance.readyAt(this.#queue.size + 1, now);
    return lastReadyAt > attempt.queueDeadline
      ? this.#allowance.readyAt(this.#queue.countAhead(attempt) + 1, now)
      : lastReadyAt;
  }

  /** Sends and rejects queued requests as far as possible now, and schedules the next attempt. */
  #drain(now: number): void {
    if (this.#queue.size === 0) return;

    if (this.#breaker.openUntil(now) !== undefined)
      this.#rejectBlocked(this.#breaker.blockedOf(this.#queue.accounts), now);
    this.#rejectExpired(now);
    while (this.#queue.size > 0 && this.#isReady(now)) if (!this.#sendNext(now)) break;

    this.#scheduleWake(now);
  }

  /** Returns whether the account may have one more request in flight. */
  #hasFreeSlot(account: string, now: number): boolean {
    return (
      this.#breaker.blockedUntil(account, now) === undefined &&
      this.#accounts.freeSlots(account, now) > 0
    );
  }

  /** Returns when the back-off and the rate allow a request, in epoch ms. */
  #readyToSendAt(now: number): number {
    return Math.max(this.#backoffEnd(now), this.#allowance.readyAt(1, now));
  }

  /** Returns whether the host may be sent a request now. */
  #isReady(now: number): boolean {
    return this.#accounts.hasSlot && this.#readyToSendAt(now) <= now;
  }

  /** Sends the next request. Returns false if no account may send. */
  #sendNext(now: number): boolean {
    const next = this.#queue.next((account) => this.#hasFreeSlot(account, now));
    if (!next) return false;
    this.#queue.delete(next);
    this.#send(next, now);

    // The request may have been the last one that some accounts could send today.
    if (this.#options.dailyAllowance) this.#rejectBlocked(this.#queue.accounts, now);
    return true;
  }

  /** Sends a request that is not queued. */
  #send(request: QueuedRequest, now: number): Permit {
    const { account } = request.attempt;
    this.#sentCount += 1;
    this.#allowance.take(now);
    this.#accounts.recordSent(account, now);
    this.#breaker.recordSent(account);
    this.#retries.recordSent(now);
    this.#options.dailyAllowance?.record(account);
    return request.send((outcome) => this.#onEnd(request, outcome, now));
  }

  /** Returns whether the end of the request has let others be sent. */
  #onEnd(request: QueuedRequest, { failure, problem }: RequestOutcome, sentAt: number): boolean {
    const { account } = request.attempt;
    const sentBefore = this.#sentCount;
    const now = this.#options.clock.now();
    this.#lastUsedAt = this.#options.clock.elapsed();
    this.#stats.add(now - sentAt, failure !== undefined);
    this.#accounts.recordEnd(account, failure, sentAt, now);
    // A host that limits requests (`busy`) or fails for one name (`server_error`) is up.
    if (failure === 'down' || failure === 'timeout')
      this.#breaker.recordFailure(request.name, account, now);
    else this.#breaker.recordSuccess(request.name, account, now);

    if (failure !== undefined) this.#rejectBlocked([account], now);
    if (failure === 'busy') {
      const until = now + (problem?.retryAfter ?? defaultBackoffSeconds) * 1000;
      if (this.#extendBackoff(until)) this.#options.onBackoff?.(until);
    }

    this.#drain(now);
    return this.#sentCount > sentBefore;
  }

  /** Rejects the queued requests of those accounts that may not send. */
  #rejectBlocked(accounts: Iterable<string>, now: number): void {
    for (const account of accounts) {
      const rejection = this.#rejectionOfAccount(account, now);
      if (rejection)
        for (const request of this.#queue.ofAccount(account)) this.#reject(request, rejection);
    }
  }

  #rejectExpired(now: number): void {
    const earliest = this.#readyToSendAt(now);
    let first = this.#queue.firstToExpire;
    while (first && first.deadline < earliest) {
      this.#reject(first, this.#rejected('notInTime', earliest, now));
      first = this.#queue.firstToExpire;
    }
  }

  #reject(request: QueuedRequest, problem: Problem): void {
    this.#queue.delete(request);
    request.reject(problem);
  }

  #scheduleWake(now: number): void {
    const first = this.#queue.firstToExpire;
    if (!first) return;

    const maySend =
      this.#accounts.hasSlot && this.#queue.hasNext((account) => this.#hasFreeSlot(account, now));
    // Otherwise, a slot must become free first.
    const sendAt = maySend ? this.#readyToSendAt(now) : Infinity;
    const wakeAt = Math.max(Math.min(first.deadline + 1, sendAt), now);
    if (wakeAt === this.#wakeAt) return;

    this.#wakeAt = wakeAt;
    this.#cancelWake?.();
    this.#cancelWake = this.#options.clock.after(wakeAt - now, () => {
      this.#wakeAt = Infinity;
      this.#drain(this.#options.clock.now());
    });
  }

  #rejected(reason: RejectionReason, until: number, now: number): Problem {
    return rejected(reason, this.#options.host, Math.max(1, Math.ceil((until - now) / 1000)));
  }
}
