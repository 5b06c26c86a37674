import type { Clock } from '../clock.ts';
import type { LaneHealth } from '../domain/catalogue.ts';
import type { DomainName } from '../domain/domain-name.ts';
import type { Asker, Outcome } from '../domain/registry.ts';
import type { Problem } from '../problems.ts';
import { ownAllowance, type LaneLimits } from './allowance.ts';
import { hostCondition, type HostRequest } from './host-condition.ts';
import { refusalsOf } from './refusals.ts';
import { createWaiting } from './waiting.ts';

/** Leave to send one request. */
export interface Turn {
  /** The host has answered as it should: the next may be sent while this answer is read. True when there is one. */
  answered(): boolean;
  /** To be called once, with what came of it. */
  end(outcome: Outcome): void;
}

/** The queue in front of one registry host, shared by everybody who asks that host, and all that is known of the host. */
export interface Lane {
  /**
   * The asker's turn, plain where it has come, or a problem: `registry_busy` at once when its turn cannot come in time or too many lookups of
   * its account failed, `registry_error` while the host does not respond. Never rejects.
   */
  enter(name: DomainName, asker: Asker): Turn | Problem | Promise<Turn | Problem>;
  health(): LaneHealth;
}

/** A lane as whoever opened it has it. */
export interface OwnedLane extends Lane {
  /** For how long nobody has asked the host; 0 as long as somebody waits or is answered, it wants to be left alone, or what it allows is not whole. */
  idleMs(): number;
  /** Nobody will come any more. */
  forget(): void;
  /** The host wants no requests until then. */
  closeUntil(until: number): void;
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
  readonly name: DomainName;
  readonly asker: Asker;
  settle: (turn: Turn | Problem) => void;
}

/** A host that says 429 or 503 without saying for how long. */
const defaultPauseSeconds = 1;

export function createLane(options: LaneOptions): OwnedLane {
  const { host, limits, clock, onClosed = () => {} } = options;
  const allowance = ownAllowance(limits, clock);
  const condition = hostCondition(limits.concurrency, options.opensAt ?? 0);
  const waiting = createWaiting<Waiter>();
  const { busy, failing, limited } = refusalsOf(host, clock);
  let inFlight = 0;
  let sent = 0;
  let usedAt = clock.elapsed();
  let cancelTimer: (() => void) | undefined;
  let wakesAt = Infinity;

  function enter(name: DomainName, asker: Asker): ReturnType<Lane['enter']> {
    usedAt = clock.elapsed();
    const refusal = refusalOf(asker);
    if (refusal) return refusal;
    let settled: Turn | Problem | undefined;
    const waiter: Waiter = {
      name,
      asker,
      settle(turn) {
        waiting.delete(waiter);
        settled = turn;
      },
    };
    waiting.add(waiter);
    advance();
    return settled ?? untilSettled(waiter);
  }

  function untilSettled(waiter: Waiter): Promise<Turn | Problem> {
    const { signal } = waiter.asker;
    return new Promise((resolve) => {
      const leave = () => waiter.settle(busy(clock.now()));
      waiter.settle = (turn) => {
        waiting.delete(waiter);
        signal.removeEventListener('abort', leave);
        resolve(turn);
      };
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  function refusalOf(asker: Asker): Problem | undefined {
    const now = clock.now();
    const refusal = refusalOfAccount(asker.account, now);
    if (refusal) return refusal;
    const readyAt = Math.max(condition.opensAt(now), turnOf(asker));
    if (asker.signal.aborted || readyAt > asker.sendBy) return busy(readyAt);
    return asker.retry && !condition.takeRetry(now) ? busy(now) : undefined;
  }

  /** Returns why requests of an account are not sent, whether they are new or in the queue. */
  function refusalOfAccount(account: string, now: number): Problem | undefined {
    const blockedUntil = condition.blockedUntil(account, now);
    if (blockedUntil !== undefined) return failing(blockedUntil);
    const allowedAt = condition.allowedAt(account, now);
    return allowedAt === undefined ? undefined : limited(allowedAt);
  }

  /** When there will be leave for somebody who came now. His place is counted only where the last one of all would be too late. */
  function turnOf(asker: Asker): number {
    const last = allowance.readyAt(waiting.size + 1);
    return last > asker.sendBy ? allowance.readyAt(waiting.ahead(asker) + 1) : last;
  }

  function advance(): void {
    const now = clock.now();
    if (waiting.size > 0) {
      const maySend = (account: string) => condition.room(account, now) > 0;
      if (condition.isBlocked(now)) refuseBlocked(now);
      refuseLate(now);
      while (ready(now) > 0 && allowance.take()) send(waiting.next(maySend), now);
    }
    allowance.want(ready(now));
    wakeLater(now);
  }

  /** How many of those who wait could go now, if there were leave for them. */
  function ready(now: number): number {
    return now < condition.opensAt(now) ? 0 : sendable(now);
  }

  /** Returns how many of the queue have a free slot, whether or not the host accepts requests now. */
  function sendable(now: number): number {
    const free = Math.max(condition.limit - inFlight, 0);
    let count = 0;
    for (const [account, queued] of waiting.byAccount) {
      if (count >= free) break;
      count += Math.max(Math.min(queued, condition.room(account, now)), 0);
    }
    return Math.min(count, free);
  }

  function send(waiter: Waiter | undefined, sentAt: number): void {
    if (!waiter) return;
    const request = { name: waiter.name, account: waiter.asker.account };
    sent += 1;
    inFlight += 1;
    condition.sent(request, sentAt);
    let over = false;
    const endOnce = (outcome: Outcome) => {
      if (over) return;
      over = true;
      end(request, outcome, sentAt);
    };
    const answered = () => {
      const before = sent;
      endOnce({});
      return sent > before;
    };
    waiter.settle({ answered, end: endOnce });
  }

  function end(request: HostRequest, { failure, problem }: Outcome, sentAt: number): void {
    const now = clock.now();
    usedAt = clock.elapsed();
    inFlight -= 1;
    allowance.end();
    condition.ended(request, failure, sentAt, now);
    if (failure !== undefined) refuseBlocked(now);
    if (failure === 'busy') leaveAlone(now + (problem?.retryAfter ?? defaultPauseSeconds) * 1000);
    advance();
  }

  function leaveAlone(until: number): void {
    if (!condition.closeUntil(until)) return;
    allowance.close(until);
    onClosed(until);
  }

  /** Refuses the queued requests of the accounts that may not send. */
  function refuseBlocked(now: number): void {
    for (const account of waiting.byAccount.keys()) {
      const refusal = refusalOfAccount(account, now);
      if (refusal) for (const waiter of waiting) if (waiter.asker.account === account) waiter.settle(refusal);
    }
  }

  function refuseLate(now: number): void {
    const earliest = Math.max(now, condition.opensAt(now), allowance.readyAt(1));
    for (const waiter of waiting.late(earliest)) waiter.settle(busy(earliest));
  }

  function wakeLater(now: number): void {
    const nextTurn = sendable(now) > 0 ? Math.max(condition.opensAt(now), allowance.nextAt) : Infinity;
    const moment = waiting.size > 0 ? Math.max(Math.min(waiting.patientUntil + 1, nextTurn), now) : Infinity;
    if (moment === wakesAt) return;
    wakesAt = moment;
    cancelTimer?.();
    cancelTimer = moment < Infinity ? clock.after(moment - now, wake) : undefined;
  }

  function wake(): void {
    wakesAt = Infinity;
    advance();
  }

  function isIdle(): boolean {
    return waiting.size === 0 && inFlight === 0 && condition.opensAt(clock.now()) <= clock.now() && allowance.whole;
  }

  return {
    enter,
    health: () => ({ queued: waiting.size, inFlight, ...condition.health(clock.now()) }),
    idleMs: () => (isIdle() ? clock.elapsed() - usedAt : 0),
    forget: () => allowance.forget(),
    closeUntil(until) {
      if (condition.closeUntil(until)) advance();
    },
  };
}
