import type { HostStatus } from '../../domain/catalogue.ts';
import type { FailureKind } from '../../domain/answer.ts';
import { AccountLimits, AimdConcurrency } from './account-limits.ts';
import { maxBackoffMs } from './backoffs.ts';
import { CircuitBreaker, RetryBudget } from './circuit-breaker.ts';

/** A request to a host: the name, and the account that it is sent for. */
export interface HostRequest {
  readonly name: string;
  readonly account: string;
}

/**
 * Tracks the outcomes of this process's requests to a host, and decides how many and whose may be
 * sent now.
 */
export class HostHealth {
  readonly #concurrency: AimdConcurrency;
  readonly #breaker = new CircuitBreaker();
  readonly #accounts: AccountLimits;
  readonly #retries = new RetryBudget();
  readonly #stats = new HostStats();
  #backoffUntil: number;

  /** `backoffUntil`: when the current back-off of the host ends, in epoch ms. */
  constructor(maxInFlight: number, backoffUntil: number) {
    this.#concurrency = new AimdConcurrency(maxInFlight);
    this.#accounts = new AccountLimits(maxInFlight);
    this.#backoffUntil = backoffUntil;
  }

  /** The maximum number of requests in flight. */
  get limit(): number {
    return this.#concurrency.limit;
  }

  /** Returns when the back-off ends, in epoch ms; a time in the past if there is none. */
  backoffUntil(now: number): number {
    // A longer back-off was recorded while the clock was ahead.
    if (this.#backoffUntil > now + maxBackoffMs) this.#backoffUntil = now;
    return this.#backoffUntil;
  }

  /**
   * Records a back-off until `until` (epoch ms). Returns false if the current one is at least that
   * long.
   */
  backOff(until: number): boolean {
    if (until <= this.#backoffUntil) return false;
    this.#backoffUntil = until;
    return true;
  }

  /** Returns whether the circuit breaker blocks one or all accounts. */
  isBlocked(now: number): boolean {
    return this.#breaker.openUntil(now) !== undefined;
  }

  /**
   * Returns until when the circuit breaker blocks the account, in epoch ms; undefined if it does
   * not.
   */
  blockedUntil(account: string, now: number): number | undefined {
    return this.#breaker.blockedUntil(account, now);
  }

  /**
   * Returns when the account may send again after too many failed lookups, in epoch ms; undefined
   * if it may now.
   */
  allowedAt(account: string, now: number): number | undefined {
    return this.#accounts.allowedAt(account, now);
  }

  /** Returns how many more requests the account may have in flight. */
  freeSlots(account: string, now: number): number {
    return this.blockedUntil(account, now) === undefined
      ? this.#accounts.freeSlots(account, this.limit, now)
      : 0;
  }

  /** Takes one retry from the host's retry budget. Returns false if it is exhausted. */
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
    // A host that limits requests (`busy`) or fails for one name (`server_error`) is up.
    if (failure === 'down' || failure === 'timeout')
      this.#breaker.recordFailure(name, account, now);
    else this.#breaker.recordSuccess(name, account, now);
  }

  status(
    now: number,
  ): Pick<HostStatus, 'backoffUntil' | 'circuitOpen' | 'retryAt' | 'p50Ms' | 'errorRate'> {
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

const maxRequests = 100;

/** Computes latency and error rate over the latest requests to a host. */
class HostStats {
  readonly #requests: { readonly ms: number; readonly failed: boolean }[] = [];

  add(ms: number, failed: boolean): void {
    this.#requests.push({ ms, failed });
    if (this.#requests.length > maxRequests) this.#requests.shift();
  }

  get p50Ms(): number | null {
    const sorted = this.#requests.map(({ ms }) => ms).toSorted((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)] ?? null;
  }

  get errorRate(): number | null {
    return this.#requests.length > 0
      ? this.#requests.filter(({ failed }) => failed).length / this.#requests.length
      : null;
  }
}
