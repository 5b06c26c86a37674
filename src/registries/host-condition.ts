import type { LaneHealth } from '../domain/catalogue.ts';
import type { DomainName } from '../domain/domain-name.ts';
import type { Failure } from '../domain/registry.ts';
import { AccountLimits } from './account-limits.ts';
import { Breaker } from './breaker.ts';
import { adaptiveConcurrency } from './concurrency.ts';
import { exchangeStats } from './exchange-stats.ts';
import { createRetryBudget } from './retry-budget.ts';

/** How a host copes with what this process asks of it, which each process finds out for itself, and until when it wants to be left alone. */
export interface HostCondition {
  /** Requests in flight that it copes with. */
  readonly limit: number;
  /** When it lets itself be asked, in milliseconds since the epoch. */
  opensAt(now: number): number;
  /** It wants to be left alone until then; false when that is no news. */
  closeUntil(until: number): boolean;
  /** Whether requests of some or all accounts are blocked because the host does not respond. */
  isBlocked(now: number): boolean;
  /** Returns until when requests of the account are blocked because the host does not respond, in epoch ms; undefined if they are not. */
  blockedUntil(account: string, now: number): number | undefined;
  /** Returns when the account may send again after too many of its lookups failed, in epoch ms; undefined if it may now. */
  allowedAt(account: string, now: number): number | undefined;
  /** Returns how many more requests the account may have in flight. */
  room(account: string, now: number): number;
  /** Takes leave for a second try, if there is any. */
  takeRetry(now: number): boolean;
  sent(request: HostRequest, now: number): void;
  ended(request: HostRequest, failure: Failure | undefined, sentAt: number, now: number): void;
  health(now: number): Omit<LaneHealth, 'queued' | 'inFlight'>;
}

/** A name that is sent to the host, and for which account. */
export interface HostRequest {
  readonly name: DomainName;
  readonly account: string;
}

/** What `Retry-After` is capped at, and a second. */
const longestPauseMs = 121_000;

export function hostCondition(mostInFlight: number, closedUntil: number): HostCondition {
  const concurrency = adaptiveConcurrency(mostInFlight);
  const breaker = new Breaker();
  const accounts = new AccountLimits(mostInFlight);
  const retries = createRetryBudget();
  const stats = exchangeStats();
  let open = closedUntil;

  function opensAt(now: number): number {
    // Nobody is left alone for so long: the clock was ahead when it was noted.
    if (open > now + longestPauseMs) open = now;
    return open;
  }

  return {
    get limit() {
      return concurrency.limit;
    },
    opensAt,
    closeUntil(until) {
      if (until <= open) return false;
      open = until;
      return true;
    },
    isBlocked: (now) => breaker.openUntil(now) !== undefined,
    blockedUntil: (account, now) => breaker.blockedUntil(account, now),
    allowedAt: (account, now) => accounts.allowedAt(account, now),
    room: (account, now) => (breaker.blockedUntil(account, now) === undefined ? accounts.room(account, concurrency.limit, now) : 0),
    takeRetry: retries.takeRetry,
    sent({ account }, now) {
      breaker.sent(account);
      accounts.sent(account, now);
      retries.sent(now);
    },
    ended({ name, account }, failure, sentAt, now) {
      stats.add(now - sentAt, failure !== undefined);
      if (failure === undefined) concurrency.grow();
      else if (failure === 'busy') concurrency.halve(sentAt, now);
      accounts.ended(account, failure, sentAt, now);
      // A host that limits requests, or fails for one name, is up.
      if (failure === 'down' || failure === 'timeout') breaker.fail(name, account, now);
      else breaker.succeed(name, account, now);
    },
    health(now) {
      const brokenUntil = breaker.openUntil(now);
      const retryAt = Math.max(opensAt(now), brokenUntil ?? 0);
      return {
        closedUntil: opensAt(now) > now ? opensAt(now) : null,
        broken: brokenUntil !== undefined,
        retryAt: retryAt > now ? retryAt : null,
        p50Ms: stats.p50Ms,
        errorRate: stats.errorRate,
      };
    },
  };
}
