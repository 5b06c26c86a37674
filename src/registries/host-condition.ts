import type { LaneHealth } from '../domain/catalogue.ts';
import type { Answer } from '../domain/registry.ts';
import { createBreaker } from './breaker.ts';
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
  /** When it is asked again; undefined unless it does nothing but fail. */
  brokenUntil(now: number): number | undefined;
  /** Takes leave for a second try, if there is any. */
  takeRetry(now: number): boolean;
  sent(now: number): void;
  ended(failure: Answer['failure'], sentAt: number, now: number): void;
  health(now: number): Omit<LaneHealth, 'queued' | 'inFlight'>;
}

/** What `Retry-After` is capped at, and a second. */
const longestPauseMs = 121_000;

export function hostCondition(mostInFlight: number, closedUntil: number): HostCondition {
  const concurrency = adaptiveConcurrency(mostInFlight);
  const breaker = createBreaker();
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
    brokenUntil: breaker.openUntil,
    takeRetry: retries.takeRetry,
    sent(now) {
      breaker.pass();
      retries.sent(now);
    },
    ended(failure, sentAt, now) {
      stats.add(now - sentAt, failure !== undefined);
      if (failure === undefined) concurrency.grow();
      else if (failure !== 'down') concurrency.halve(sentAt, now);
      // One that says "later" works, it has only had enough: that is no reason to give it up.
      if (failure === undefined || failure === 'busy') breaker.succeed();
      else breaker.fail(now);
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
