import { performance } from 'node:perf_hooks';
import type { Clock } from '../clock.ts';
import { Problem } from '../problems.ts';

/** Sheds load before it is work: better some answers in time than all of them too late. */
export interface Admission {
  /** Throws `overloaded`; else returns what to call when the request is done. */
  enter(): () => void;
}

export interface AdmissionOptions {
  readonly clock: Clock;
  /** Requests in flight. */
  readonly most: number;
  /** How far the event loop has been busy, from 0 to 1, since this was last asked. */
  readonly busyShare?: () => number;
}

/** A burst is over within that time, and no strain. */
const windowMs = 1000;
/** A loop that is as busy as this has no time left. */
const noPause = 0.97;
/** Turns of the loop that take longer on average are a strain, and while it lasts only what comes this early in a turn is let in. */
const longTurnMs = 40;
const admittedPerTurnMs = 40;
/** Strain has passed when turns take less than they would if any request had been refused. */
const shortTurnMs = 30;
const retryAfter = 1;

/**
 * Admits up to `most` requests. While the event loop has no pause and takes long for each turn, because each brings more than can be done in
 * it, only those that come early in a turn.
 */
export function createAdmission({ clock, most, busyShare = eventLoopBusyShare() }: AdmissionOptions): Admission {
  const refusal = new Problem('overloaded', 'The gateway has more to do than it can; try again in a moment.', { retryAfter });
  let inFlight = 0;
  let strained = false;
  let turnStartedAt: number | undefined;
  let window = { startedAt: clock.elapsed(), turns: 1 };

  function beginTurn(now: number): number {
    setImmediate(() => (turnStartedAt = undefined));
    const { startedAt, turns } = window;
    if (now - startedAt >= windowMs) {
      strained = busyShare() > noPause && (now - startedAt) / turns > (strained ? shortTurnMs : longTurnMs);
      window = { startedAt: now, turns: 0 };
    }
    window.turns += 1;
    return now;
  }

  return {
    enter() {
      const now = clock.elapsed();
      turnStartedAt ??= beginTurn(now);
      if (inFlight >= most || (strained && now - turnStartedAt > admittedPerTurnMs)) throw refusal;
      inFlight += 1;
      return () => void (inFlight -= 1);
    },
  };
}

function eventLoopBusyShare(): () => number {
  let last = performance.eventLoopUtilization();
  return () => {
    const before = last;
    last = performance.eventLoopUtilization();
    return performance.eventLoopUtilization(last, before).utilization;
  };
}
