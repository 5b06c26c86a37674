import { systemClock, type Clock } from '../../../src/clock.ts';

/** A clock that a test advances. */
export interface FrozenClock extends Clock {
  advance(ms: number): void;
}

/**
 * Returns a clock that is stopped until the test advances it. Timers run normally, so it can be
 * used with real sockets. It starts early in a month and a day, so that a test that advances it by a
 * day stays within the credits of one month on whatever date it runs.
 */
export function frozenClock(start = Date.UTC(2026, 10, 10, 9)): FrozenClock {
  let elapsedMs = 0;
  return {
    ...systemClock,
    now: () => start + elapsedMs,
    // As in a process, it is never 0.
    elapsed: () => 1 + elapsedMs,
    advance: (ms) => void (elapsedMs += ms),
  };
}
