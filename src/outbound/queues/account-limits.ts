import type { FailureKind } from '../../domain/answer.ts';
import { canaryAccount } from '../../domain/source.ts';

interface AccountState {
  readonly concurrency: AimdConcurrency;
  inFlight: number;
  /** When the account's failed lookups no longer count, in epoch ms. */
  failuresExpireAt: number;
}

/**
 * A fifth of the 600 lookups per minute at the default rate of 10/s; a normal failure rate is a few
 * per cent.
 */
const maxFailures = 120;
const failureWindowMs = 60_000;
const msPerFailure = failureWindowMs / maxFailures;
const sharingWindowMs = 60_000;
const maxAccounts = 1000;

/**
 * Limits the requests of each account to one host, so that lookups that time out or fail slow down
 * only the account that sends them. An account may have 120 failures per minute; every success
 * cancels one. Each timeout halves the account's concurrency limit. While other accounts use the
 * host, an account gets at most three quarters of the slots, and one slot in eight is kept for
 * accounts that have no request in flight.
 */
export class AccountLimits {
  /** The requests in flight of all accounts. */
  inFlight = 0;
  /** Limits the requests in flight of all accounts. */
  readonly host: AimdConcurrency;
  readonly #accounts = new Map<string, AccountState>();
  readonly #maxInFlight: number;
  #lastAccount: string | undefined;
  #lastSentAt = -Infinity;
  /** When an account other than the last one last sent a request. */
  #otherAccountSentAt = -Infinity;

  constructor(maxInFlight: number) {
    this.#maxInFlight = maxInFlight;
    this.host = new AimdConcurrency(maxInFlight);
  }

  /** Whether the host may get one more request. */
  get hasSlot(): boolean {
    return this.inFlight < this.host.limit;
  }

  /** Returns how many more requests the account may have in flight. */
  freeSlots(account: string, now: number): number {
    const hostLimit = this.host.limit;
    const state = this.#accounts.get(account);
    const othersSentAt =
      account === this.#lastAccount ? this.#otherAccountSentAt : this.#lastSentAt;
    const isShared = now - othersSentAt < sharingWindowMs;
    const share = isShared ? Math.max(1, Math.floor(hostLimit * 0.75)) : hostLimit;
    if (!state) return share;

    const free = Math.min(share, state.concurrency.limit) - state.inFlight;
    const unreserved = Math.ceil(hostLimit * 0.875) - this.inFlight;
    return isShared && state.inFlight > 0 ? Math.min(free, unreserved) : free;
  }

  /**
   * Returns when the failure limit allows the account to send again, in epoch ms; undefined if it
   * may now.
   */
  allowedAt(account: string, now: number): number | undefined {
    const state = this.#accounts.get(account);
    if (!state) return undefined;
    const waitMs = usedMs(state, now) + msPerFailure - failureWindowMs;
    return waitMs > 0 ? now + waitMs : undefined;
  }

  recordSent(account: string, now: number): void {
    this.#stateOf(account).inFlight += 1;
    this.inFlight += 1;

    // Canary lookups have no caller, so they do not count as another account's use of the host.
    if (account === canaryAccount) return;

    if (account !== this.#lastAccount) this.#otherAccountSentAt = this.#lastSentAt;
    this.#lastAccount = account;
    this.#lastSentAt = now;
  }

  recordEnd(account: string, failure: FailureKind | undefined, sentAt: number, now: number): void {
    const state = this.#stateOf(account);
    state.inFlight -= 1;
    this.inFlight -= 1;
    if (failure === 'timeout') state.concurrency.halve(sentAt, now);
    if (failure === 'busy') return this.host.halve(sentAt, now);

    if (failure === undefined) {
      state.concurrency.grow();
      this.host.grow();
    }

    const change = failure === undefined ? -msPerFailure : msPerFailure;
    state.failuresExpireAt =
      now + Math.min(Math.max(usedMs(state, now) + change, 0), failureWindowMs);
  }

  #stateOf(account: string): AccountState {
    const existing = this.#accounts.get(account);
    if (existing) return existing;

    const state = {
      concurrency: new AimdConcurrency(this.#maxInFlight),
      inFlight: 0,
      failuresExpireAt: 0,
    };

    if (this.#accounts.size >= maxAccounts) this.#dropIdle();
    this.#accounts.set(account, state);
    return state;
  }

  /** Drops the oldest account without requests in flight. */
  #dropIdle(): void {
    for (const [account, { inFlight }] of this.#accounts)
      if (inFlight === 0) return void this.#accounts.delete(account);
  }
}

/** Returns how much of the failure window is used, in ms. */
function usedMs({ failuresExpireAt }: AccountState, now: number): number {
  const ms = failuresExpireAt - now;
  // A time beyond the window was stored before the clock was set back.
  return ms > 0 && ms <= failureWindowMs ? ms : 0;
}

/**
 * Limits requests in flight by additive increase and multiplicative decrease, starting at its
 * maximum `max`.
 */
export class AimdConcurrency {
  /** The maximum number of requests in flight. */
  limit: number;
  readonly #max: number;
  #allowed: number;
  #halvedAt = -Infinity;

  constructor(max: number) {
    this.#max = max;
    this.#allowed = max;
    this.limit = Math.floor(max);
  }

  /** Records a successful response. As many successes as the limit raise it by one. */
  grow(): void {
    this.#allow(Math.min(this.#max, this.#allowed + 1 / this.#allowed));
  }

  /** Records an overload signal (429, 503 or timeout) for a request sent at `sentAt` (epoch ms). */
  halve(sentAt: number, now: number): void {
    // Requests sent before the last halving met the same overload: together they count once.
    if (sentAt <= this.#halvedAt) return;
    this.#halvedAt = now;
    this.#allow(Math.max(1, this.#allowed / 2));
  }

  #allow(requests: number): void {
    this.#allowed = requests;
    this.limit = Math.floor(requests);
  }
}
