import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Clock } from '../clock.ts';
import { Problem } from '../problems.ts';

/** Sheds load before it is work: better some answers in time than all of them too late. */
export interface Admission {
  /** Throws `overloaded`; else returns what to call when the request is done. */
  enter(): () => void;
  /** Requests that entered and are not done. */
  readonly inFlight: number;
}

export interface AdmissionOptions {
  readonly clock: Clock;
  readonly turns: TurnWatch;
}

export interface TurnWatch {
  /** How long turns of the event loop took since this was last asked, on average; idle ones count as 5 ms. */
  meanMs(): number;
  close(): void;
}

/** Requests; a thousand streams that wait are cheap, a hundred thousand are not. */
const mostInFlight = 5000;
/** How long turns are watched before they are judged: a short burst is no strain. */
const windowMs = 1000;
/** Nor is one that comes in a single turn, unless that has no end: libuv goes on with what comes in meanwhile. */
const longestBurstMs = 2000;
/** Turns that take longer on average are a strain, and while it lasts only what comes this early in a turn is let in. */
const longTurnMs = 40;
const admittedPerTurnMs = 15;
/** Strain has passed when turns take less than they would if any request had been refused. */
const shortTurnMs = 12;
const retryAfter = 1;

/** Admits 5,000 requests at once; while turns of the event loop take too long, only as many as can be answered soon. */
export function createAdmission({ clock, turns }: AdmissionOptions): Admission {
  const refusal = new Problem('overloaded', 'The gateway has more to do than it can; try again in a moment.', { retryAfter });
  let inFlight = 0;
  let strained = false;
  let lookedAt = clock.elapsed();
  let turnStartedAt: number | undefined;

  function beginTurn(now: number): number {
    setImmediate(() => (turnStartedAt = undefined));
    if (now - lookedAt < windowMs) return now;
    strained = turns.meanMs() > (strained ? shortTurnMs : longTurnMs);
    lookedAt = now;
    return now;
  }

  return {
    get inFlight() {
      return inFlight;
    },
    enter() {
      const now = clock.elapsed();
      turnStartedAt ??= beginTurn(now);
      strained ||= now - turnStartedAt > longestBurstMs;
      if (inFlight >= mostInFlight || (strained && now - turnStartedAt > admittedPerTurnMs)) throw refusal;
      inFlight += 1;
      return () => void (inFlight -= 1);
    },
  };
}

/** Watches this thread's event loop until it is closed. */
export function watchTurns(): TurnWatch {
  const histogram = monitorEventLoopDelay({ resolution: 5 });
  histogram.enable();
  return {
    meanMs() {
      const { mean } = histogram;
      histogram.reset();
      return mean / 1e6;
    },
    close: () => void histogram.disable(),
  };
}
