import { systemClock, type Clock } from '../../src/clock.ts';

/** A clock that a test advances while it runs. */
export interface JumpingClock extends Clock {
  /** Sets the clock forward. Timers are not affected. */
  advance(ms: number): void;
}

/**
 * Returns a clock that runs normally and can be set forward, while time limits and real sockets are
 * not affected.
 */
export function jumpingClock(): JumpingClock {
  let offsetMs = 0;
  return {
    ...systemClock,
    now: () => systemClock.now() + offsetMs,
    elapsed: () => systemClock.elapsed() + offsetMs,
    advance: (ms) => void (offsetMs += ms),
  };
}
