import type { Clock } from '../clock.ts';
import type { LaneHealth } from '../domain/catalogue.ts';
import type { Answer, Asker } from '../domain/registry.ts';
import { Problem } from '../problems.ts';
import { createBreaker } from './breaker.ts';
import { adaptiveConcurrency } from './concurrency.ts';
import { dailyQuota } from './daily-quota.ts';
import { exchangeStats } from './exchange-stats.ts';
import { createRetryBudget } from './retry-budget.ts';
import { tokenBucket } from './token-bucket.ts';
import { createWaiting } from './waiting.ts';

export interface LaneLimits {
  /** Requests a second in the long run; 0 = as many as there are. */
  readonly rate: number;
  /** Requests at once after a pause. */
  readonly burst: number;
  /** Requests in flight, at most. */
  readonly concurrency: number;
  /** Requests in any day; absent = as many as there are. */
  readonly perDay?: number | undefined;
}

/** Leave to send one request. */
export interface Turn {
  /** To be called once, with what came of it. */
  end(answer: Answer): void;
}

/** The queue in front of one registry host, shared by everybody who asks that host, and all that is known of the host. */
export interface Lane {
  /**
   * Settles when it is the asker's turn, or with a problem: `registry_busy` at once when its turn cannot come in time, `registry_error`
   * while the host does nothing but fail. Never rejects.
   */
  enter(asker: Asker): Promise<Turn | Problem>;
  health(): LaneHealth;
}

export interface LaneOptions {
  readonly host: string;
  readonly limits: LaneLimits;
  readonly clock: Clock;
  /** Until when the host asked to be left alone, when it said so before this process began; epoch ms. */
  readonly opensAt?: number;
  /** Told when the host asks to be left alone until then. */
  readonly onClosed?: (opensAt: number) => void;
}

interface Waiter {
  readonly asker: Asker;
  settle(turn: Turn | Problem): void;
}

/** A host that says 429 or 503 without saying for how long. */
const defaultPauseSeconds = 1;

/** What `Retry-After` is capped at, and a second. */
const longestPauseMs = 121_000;

export function createLane({ host, limits, clock, opensAt = 0, onClosed = () => {} }: LaneOptions): Lane {
  const bucket = tokenBucket(limits, clock);
  const day = dailyQuota(limits.perDay, clock);
  const concurrency = adaptiveConcurrency(limits.concurrency);
  const breaker = createBreaker();
  const retries = createRetryBudget();
  const stats = exchangeStats();
  const waiting = createWaiting<Waiter>();
  let inFlight = 0;
  let cancelTimer: (() => void) | undefined;

  function enter(asker: Asker): Promise<Turn | Problem> {
    const refusal = refusalOf(asker);
    if (refusal) return Promise.resolve(refusal);
    return new Promise((resolve) => {
      const leave = () => settle(busy(clock.now()));
      const settle = (turn: Turn | Problem) => {
        waiting.delete(waiter);
        asker.signal.removeEventListener('abort', leave);
        resolve(turn);
      };
      const waiter: Waiter = { asker, settle };
      waiting.add(waiter);
      asker.signal.addEventListener('abort', leave, { once: true });
      advance();
    });
  }

  function refusalOf(asker: Asker): Problem | undefined {
    const now = clock.now();
    // Nobody is left alone for so long: the clock was ahead when it was noted.
    if (opensAt > now + longestPauseMs) opensAt = now;
    const brokenUntil = breaker.openUntil(now);
    if (brokenUntil !== undefined) return failing(brokenUntil);
    const place = waiting.ahead(asker) + 1;
    const readyAt = Math.max(opensAt, bucket.readyAt(place), day.readyAt(place));
    if (asker.signal.aborted || readyAt > asker.sendBy) return busy(readyAt);
    return asker.retry && !retries.takeRetry(now) ? busy(now) : undefined;
  }

  function advance(): void {
    refuseLate();
    while (inFlight < concurrency.limit && clock.now() >= opensAt && breaker.openUntil(clock.now()) === undefined) {
      if (waiting.size === 0 || day.readyAt(1) > clock.now() || !bucket.take()) break;
      day.take();
      send(waiting.next());
    }
    wakeLater();
  }

  function send(waiter: Waiter | undefined): void {
    const sentAt = clock.now();
    inFlight += 1;
    breaker.pass(sentAt);
    retries.sent(sentAt);
    waiter?.settle({ end: (answer) => end(answer, sentAt) });
  }

  function end({ failure, problem }: Answer, sentAt: number): void {
    const now = clock.now();
    inFlight -= 1;
    stats.add(now - sentAt, failure !== undefined);
    if (failure === undefined) {
      concurrency.grow();
      breaker.succeed();
    } else if (failure === 'busy') {
      // It works, it has only had enough: that is no reason to give it up.
      concurrency.halve(sentAt, now);
      breaker.succeed();
      closeUntil(now + (problem?.retryAfter ?? defaultPauseSeconds) * 1000);
    } else {
      if (failure === 'timeout') concurrency.halve(sentAt, now);
      breaker.fail(now);
    }
    advance();
  }

  function closeUntil(until: number): void {
    if (until <= opensAt) return;
    opensAt = until;
    onClosed(until);
  }

  function refuseLate(): void {
    const now = clock.now();
    const brokenUntil = breaker.openUntil(now);
    const earliest = Math.max(opensAt, now);
    for (const { asker, settle } of waiting) {
      if (brokenUntil !== undefined) settle(failing(brokenUntil));
      else if (asker.sendBy < earliest) settle(busy(earliest));
    }
  }

  function wakeLater(): void {
    cancelTimer?.();
    if (waiting.size === 0) return;
    const lastMoment = Math.min(...Array.from(waiting, ({ asker }) => asker.sendBy)) + 1;
    const nextTurn = inFlight < concurrency.limit ? Math.max(opensAt, bucket.readyAt(1), day.readyAt(1)) : Infinity;
    cancelTimer = clock.after(Math.max(Math.min(lastMoment, nextTurn) - clock.now(), 0), advance);
  }

  function busy(readyAt: number): Problem {
    const retryAfter = secondsUntil(readyAt);
    return new Problem('registry_busy', `${host} takes no more questions now; ask again in ${retryAfter} s.`, { retryAfter });
  }

  function failing(until: number): Problem {
    const retryAfter = secondsUntil(until);
    return new Problem('registry_error', `${host} has failed again and again; it is asked again in ${retryAfter} s.`, { retryAfter });
  }

  function secondsUntil(moment: number): number {
    return Math.max(1, Math.ceil((moment - clock.now()) / 1000));
  }

  function health(): LaneHealth {
    const retryAt = Math.max(opensAt, breaker.openUntil(clock.now()) ?? 0);
    return { queued: waiting.size, retryAt: retryAt > clock.now() ? retryAt : null, p50Ms: stats.p50Ms, errorRate: stats.errorRate };
  }

  return { enter, health };
}
