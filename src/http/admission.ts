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
}

/** One turn of the event loop that takes longer keeps everybody else waiting. */
const longTurnMs = 40;
/** A burst is no overload: it is over before clients would notice. */
const patienceMs = 1000;
const retryAfter = 1;

/** Admits up to `most` requests; when turns of the event loop have been too long for a second, only what still fits in a turn. */
export function createAdmission({ clock, most }: AdmissionOptions): Admission {
  let inFlight = 0;
  let turnStartedAt: number | undefined;
  let strainedSince: number | undefined;

  function endTurn(): void {
    const now = clock.elapsed();
    const took = now - (turnStartedAt ?? now);
    turnStartedAt = undefined;
    if (took < longTurnMs) strainedSince = undefined;
    else strainedSince ??= now - took;
  }

  return {
    enter() {
      const now = clock.elapsed();
      if (turnStartedAt === undefined) {
        turnStartedAt = now;
        setImmediate(endTurn);
      }
      const strained = strainedSince !== undefined && now - strainedSince > patienceMs;
      if (inFlight >= most || (strained && now - turnStartedAt > longTurnMs / 2)) {
        throw new Problem('overloaded', 'The gateway has more to do than it can; try again in a moment.', { retryAfter });
      }
      inFlight += 1;
      return () => void (inFlight -= 1);
    },
  };
}
