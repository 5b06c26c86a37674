import { canaryAccount, type FailureKind } from '../../domain/source.ts';
import { AimdConcurrency } from './aimd-concurrency.ts';

interface AccountState {
  readonly concurrency: AimdConcurrency;
  inFlight: number;
  /** When its failed lookups no longer count, in epoch ms. */
  failuresExpireAt: number;
}

/** A fifth of the lookups that a host is sent in a minute at the default rate of 10/s; a normal failure rate is a few per cent. */
const maxFailures = 120;
const failureWindowMs = 60_000;
const msPerFailure = failureWindowMs / maxFailures;
const sharingWindowMs = 60_000;
const maxAccounts = 1000;

/**
 * Limits what each account may send to one host, so that lookups that time out or fail slow down only the account that sends them. It may fail
 * 120 times a minute, and every response gives one failure back. Each of its timeouts halves its own number of requests in flight, and while
 * other accounts use the host, a quarter of the slots is always left to them.
 */
export class AccountLimits {
  readonly #accounts = new Map<string, AccountState>();
  readonly #maxInFlight: number;
  #lastAccount: string | undefined;
  #lastSentAt = -Infinity;
  /** When an account other than the last one last sent a request. */
  #otherAccountSentAt = -Infinity;

  constructor(maxInFlight: number) {
    this.#maxInFlight = maxInFlight;
  }

  /** Returns how many more requests the account may have in flight at a host that takes `hostLimit` in all. */
  freeSlots(account: string, hostLimit: number, now: number): number {
    const state = this.#accounts.get(account);
    const othersSentAt =
      account === this.#lastAccount ? this.#otherAccountSentAt : this.#lastSentAt;
    const share =
      now - othersSentAt < sharingWindowMs ? Math.max(1, Math.floor(hostLimit * 0.75)) : hostLimit;
    return state ? Math.min(share, state.concurrency.limit) - state.inFlight : share;
  }

  /** Returns when the allowance for failed lookups lets the account send again, in epoch ms; undefined if it may now. */
  allowedAt(account: string, now: number): number | undefined {
    const state = this.#accounts.get(account);
    if (!state) return undefined;
    const waitMs = usedMs(state, now) + msPerFailure - failureWindowMs;
    return waitMs > 0 ? now + waitMs : undefined;
  }

  recordSent(account: string, now: number): void {
    this.#stateOf(account).inFlight += 1;
    // A canary lookup is no caller's.
    if (account === canaryAccount) return;
    if (account !== this.#lastAccount) this.#otherAccountSentAt = this.#lastSentAt;
    this.#lastAccount = account;
    this.#lastSentAt = now;
  }

  recordEnd(account: string, failure: FailureKind | undefined, sentAt: number, now: number): void {
    const state = this.#stateOf(account);
    state.inFlight -= 1;
    if (failure === 'timeout') state.concurrency.halve(sentAt, now);
    if (failure === undefined) state.concurrency.grow();
    if (failure === 'busy') return;
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

  /** Drops the account without requests in flight that was added first. */
  #dropIdle(): void {
    for (const [account, { inFlight }] of this.#accounts)
      if (inFlight === 0) return void this.#accounts.delete(account);
  }
}

/** Returns how much of the window the failed lookups take. */
function usedMs({ failuresExpireAt }: AccountState, now: number): number {
  const ms = failuresExpireAt - now;
  // A later time was set before the clock was set back.
  return ms > 0 && ms <= failureWindowMs ? ms : 0;
}
