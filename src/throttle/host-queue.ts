import type { Clock } from '../clock.ts';
import type { HostStatus } from '../domain/catalogue.ts';
import type { DomainName } from '../domain/domain-name.ts';
import type { AttemptRequest, Outcome } from '../domain/source.ts';
import type { Problem } from '../domain/problems.ts';
import { FairQueue } from './fair-queue.ts';
import { HostHealth, type HostRequest } from './health/host-health.ts';
import type { HostLimits } from './host-limits.ts';
import { QueuedRequest } from './queued-request.ts';
import { RateAllowance } from './rate-allowance.ts';
import { circuitOpen, queueFull, tooManyFailures } from './rejections.ts';
import type { Permit, RequestQueue } from './request-queue.ts';

interface HostQueueOptions {
  readonly host: string;
  readonly limits: HostLimits;
  readonly clock: Clock;
  /** Until when the host wants no requests, in epoch ms. */
  readonly backoffUntil?: number;
  /** Called when the host requests that nothing is sent until then, in epoch ms. */
  readonly onBackoff?: (until: number) => void;
}

/** For a 429 or 503 without `Retry-After`. */
const defaultBackoffSeconds = 1;

/** Queues the requests of all callers to one registry host, and sends each when the host's limits and health allow it. */
export class HostQueue implements RequestQueue {
  readonly #host: string;
  readonly #clock: Clock;
  readonly #onBackoff: (until: number) => void;
  readonly #allowance: RateAllowance;
  readonly #health: HostHealth;
  readonly #queue = new FairQueue<QueuedRequest>();
  #inFlight = 0;
  #sent = 0;
  /** By `clock.elapsed()`. */
  #usedAt: number;
  #wakesAt = Infinity;
  #cancelWake: (() => void) | undefined;

  constructor({ host, limits, clock, backoffUntil = 0, onBackoff = () => {} }: HostQueueOptions) {
    this.#host = host;
    this.#clock = clock;
    this.#onBackoff = onBackoff;
    this.#allowance = new RateAllowance(limits, clock);
    this.#health = new HostHealth(limits.concurrency, backoffUntil);
    this.#usedAt = clock.elapsed();
  }

  acquire(name: DomainName, attempt: AttemptRequest): Permit | Problem | Promise<Permit | Problem> {
    this.#usedAt = this.#clock.elapsed();
    const rejection = this.#rejectionOf(attempt);
    if (rejection) return rejection;
    const request = new QueuedRequest(name, attempt);
    this.#queue.add(request);
    this.#advance();
    return (
      request.result ?? request.settled(() => this.#settle(request, this.#busy(this.#clock.now())))
    );
  }

  /** Applies a back-off that another node received, until then, in epoch ms. */
  backOff(until: number): void {
    if (this.#health.backOff(until)) this.#advance();
  }

  status(): HostStatus {
    return {
      queued: this.#queue.size,
      inFlight: this.#inFlight,
      ...this.#health.status(this.#clock.now()),
    };
  }

  /** Returns for how long the queue has not been used; 0 while it has requests, the host wants none, or its allowance is not full. */
  idleMs(): number {
    const now = this.#clock.now();
    const isIdle =
      this.#queue.size === 0 &&
      this.#inFlight === 0 &&
      this.#health.backoffUntil(now) <= now &&
      this.#allowance.isFull;
    return isIdle ? this.#clock.elapsed() - this.#usedAt : 0;
  }

  #rejectionOf(attempt: AttemptRequest): Problem | undefined {
    const now = this.#clock.now();
    const rejection = this.#rejectionOfAccount(attempt.account, now);
    if (rejection) return rejection;
    const readyAt = Math.max(this.#health.backoffUntil(now), this.#turnOf(attempt));
    if (attempt.signal.aborted || readyAt > attempt.queueDeadline) return this.#busy(readyAt);
    return attempt.retry && !this.#health.takeRetry(now) ? this.#busy(now) : undefined;
  }

  /** Returns why requests of an account are not sent, whether they are new or in the queue. */
  #rejectionOfAccount(account: string, now: number): Problem | undefined {
    const blockedUntil = this.#health.blockedUntil(account, now);
    if (blockedUntil !== undefined)
      return circuitOpen(this.#host, this.#secondsUntil(blockedUntil));
    const allowedAt = this.#health.allowedAt(account, now);
    return allowedAt === undefined
      ? undefined
      : tooManyFailures(this.#host, this.#secondsUntil(allowedAt));
  }

  /** Returns when a new request may be sent. Its place is computed only if the last place would be too late. */
  #turnOf(attempt: AttemptRequest): number {
    const last = this.#allowance.readyAt(this.#queue.size + 1);
    return last > attempt.queueDeadline
      ? this.#allowance.readyAt(this.#queue.ahead(attempt) + 1)
      : last;
  }

  /** Sends and rejects what can be sent and must be rejected now, and schedules the next time. */
  #advance(): void {
    const now = this.#clock.now();
    if (this.#queue.size > 0) {
      if (this.#health.isBlocked(now)) this.#rejectBlocked(now);
      this.#rejectLate(now);
      while (
        now >= this.#health.backoffUntil(now) &&
        this.#sendable(now) > 0 &&
        this.#allowance.take()
      )
        this.#sendNext(now);
    }
    this.#scheduleWake(now);
  }

  /** Returns how many queued requests have a free slot. */
  #sendable(now: number): number {
    return this.#queue.countSendable(Math.max(this.#health.limit - this.#inFlight, 0), (account) =>
      this.#health.room(account, now),
    );
  }

  #sendNext(now: number): void {
    const next = this.#queue.next((account) => this.#health.room(account, now) > 0);
    if (!next) return;
    const request = { name: next.name, account: next.attempt.account };
    this.#sent += 1;
    this.#inFlight += 1;
    this.#health.sent(request, now);
    this.#settle(next, this.#permit(request, now));
  }

  #permit(request: HostRequest, sentAt: number): Permit {
    let isOver = false;
    const end = (outcome: Outcome) => {
      if (!isOver) this.#end(request, outcome, sentAt);
      isOver = true;
    };
    const responded = () => {
      const before = this.#sent;
      end({});
      return this.#sent > before;
    };
    return { responded, end };
  }

  #end(request: HostRequest, { failure, problem }: Outcome, sentAt: number): void {
    const now = this.#clock.now();
    this.#usedAt = this.#clock.elapsed();
    this.#inFlight -= 1;
    this.#health.ended(request, failure, sentAt, now);
    if (failure !== undefined) this.#rejectBlocked(now);
    if (failure === 'busy') {
      const until = now + (problem?.retryAfter ?? defaultBackoffSeconds) * 1000;
      if (this.#health.backOff(until)) this.#onBackoff(until);
    }
    this.#advance();
  }

  /** Rejects the queued requests of the accounts that may not send. */
  #rejectBlocked(now: number): void {
    for (const account of this.#queue.accounts) {
      const rejection = this.#rejectionOfAccount(account, now);
      if (rejection)
        for (const request of this.#queue.of(account)) this.#settle(request, rejection);
    }
  }

  #rejectLate(now: number): void {
    const earliest = Math.max(now, this.#health.backoffUntil(now), this.#allowance.readyAt(1));
    for (const request of this.#queue.late(earliest)) this.#settle(request, this.#busy(earliest));
  }

  #settle(request: QueuedRequest, result: Permit | Problem): void {
    this.#queue.delete(request);
    request.settle(result);
  }

  #scheduleWake(now: number): void {
    const wakesAt =
      this.#queue.size > 0
        ? Math.max(Math.min(this.#queue.nextDeadline + 1, this.#nextTurn(now)), now)
        : Infinity;
    if (wakesAt === this.#wakesAt) return;
    this.#wakesAt = wakesAt;
    this.#cancelWake?.();
    this.#cancelWake =
      wakesAt < Infinity ? this.#clock.after(wakesAt - now, () => this.#wake()) : undefined;
  }

  /** Returns when a queued request may be sent; Infinity if a slot must become free before. */
  #nextTurn(now: number): number {
    return this.#sendable(now) > 0
      ? Math.max(this.#health.backoffUntil(now), this.#allowance.readyAt(1))
      : Infinity;
  }

  #wake(): void {
    this.#wakesAt = Infinity;
    this.#advance();
  }

  #busy(readyAt: number): Problem {
    return queueFull(this.#host, this.#secondsUntil(readyAt));
  }

  #secondsUntil(moment: number): number {
    return Math.max(1, Math.ceil((moment - this.#clock.now()) / 1000));
  }
}
