import type { HostStatus } from '../../domain/catalogue.ts';
import type { DomainName } from '../../domain/domain-name.ts';
import type { FailureKind } from '../../domain/source.ts';
import { AccountLimits } from './account-limits.ts';
import { AimdConcurrency } from './aimd-concurrency.ts';
import { maxBackoffMs } from '../backoffs.ts';
import { CircuitBreaker } from './circuit-breaker.ts';
import { HostStats } from './host-stats.ts';
import { RetryBudget } from './retry-budget.ts';

/** A name that is sent to a host, and for which account. */
export interface HostRequest {
  readonly name: DomainName;
  readonly account: string;
}

/** Decides what a host can take now, from how the requests of this process to it went, and until when it wants none. */
export class HostHealth {
  readonly #concurrency: AimdConcurrency;
  readonly #breaker = new CircuitBreaker();
  readonly #accounts: AccountLimits;
  readonly #retries = new RetryBudget();
  readonly #stats = new HostStats();
  #backoffUntil: number;

  /** `backoffUntil`: until when the host wants no requests, in epoch ms. */
  constructor(maxInFlight: number, backoffUntil: number) {
    this.#concurrency = new AimdConcurrency(maxInFlight);
    this.#accounts = new AccountLimits(maxInFlight);
    this.#backoffUntil = backoffUntil;
  }

  /** How many requests may be in flight. */
  get limit(): number {
    return this.#concurrency.limit;
  }

  /** Returns until when the host wants no requests, in epoch ms; a moment that has passed if it accepts them. */
  backoffUntil(now: number): number {
    // The clock was ahead when a longer back-off was recorded.
    if (this.#backoffUntil > now + maxBackoffMs) this.#backoffUntil = now;
    return this.#backoffUntil;
  }

  /** Records that the host wants no requests until then. Returns false if it already wants none for longer. */
  backOff(until: number): boolean {
    if (until <= this.#backoffUntil) return false;
    this.#backoffUntil = until;
    return true;
  }

  /** Returns whether requests of some or all accounts are blocked because the host does not respond. */
  isBlocked(now: number): boolean {
    return this.#breaker.openUntil(now) !== undefined;
  }

  /** Returns until when requests of the account are blocked because the host does not respond, in epoch ms; undefined if they are not. */
  blockedUntil(account: string, now: number): number | undefined {
    return this.#breaker.blockedUntil(account, now);
  }

  /** Returns when the account may send again after too many of its lookups failed, in epoch ms; undefined if it may now. */
  allowedAt(account: string, now: number): number | undefined {
    return this.#accounts.allowedAt(account, now);
  }

  /** Returns how many more requests the account may have in flight. */
  freeSlots(account: string, now: number): number {
    return this.blockedUntil(account, now) === undefined
      ? this.#accounts.freeSlots(account, this.limit, now)
      : 0;
  }

  /** Takes one retry of the host's budget if there is one left. */
  takeRetry(now: number): boolean {
    return this.#retries.takeRetry(now);
  }

  recordSent({ account }: HostRequest, now: number): void {
    this.#breaker.recordSent(account);
    this.#accounts.recordSent(account, now);
    this.#retries.recordSent(now);
  }

  recordEnd(
    { name, account }: HostRequest,
    failure: FailureKind | undefined,
    sentAt: number,
    now: number,
  ): void {
    this.#stats.add(now - sentAt, failure !== undefined);
    if (failure === undefined) this.#concurrency.grow();
    else if (failure === 'busy') this.#concurrency.halve(sentAt, now);
    this.#accounts.recordEnd(account, failure, sentAt, now);
    // A host that limits requests, or fails for one name, is up.
    if (failure === 'down' || failure === 'timeout')
      this.#breaker.recordFailure(name, account, now);
    else this.#breaker.recordSuccess(name, account, now);
  }

  status(now: number): Omit<HostStatus, 'queued' | 'inFlight'> {
    const backoffUntil = this.backoffUntil(now);
    const openUntil = this.#breaker.openUntil(now);
    const retryAt = Math.max(backoffUntil, openUntil ?? 0);
    return {
      backoffUntil: backoffUntil > now ? backoffUntil : null,
      circuitOpen: openUntil !== undefined,
      retryAt: retryAt > now ? retryAt : null,
      p50Ms: this.#stats.p50Ms,
      errorRate: this.#stats.errorRate,
    };
  }
}
