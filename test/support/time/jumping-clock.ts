import { systemClock, type Clock } from '../../../src/clock.ts';

/** A clock that a test advances while it runs. */
export interface JumpingClock extends Clock {
  /** Sets the clock forward. Timers are not affected. */
  advance(ms: number): void;
}

/**
 * Returns a clock that runs like `clock` and can be set forward, while time limits and real sockets are
 * not affected.
 */
export function jumpingClock(clock: Clock = systemClock): JumpingClock {
  let offsetMs = 0;
  return {
    ...clock,
    now: () => clock.now() + offsetMs,
    elapsed: () => clock.elapsed() + offsetMs,
    advance: (ms) => void (offsetMs += ms),
  };
}
