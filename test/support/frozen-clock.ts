import { systemClock, type Clock } from '../../src/clock.ts';

/** A clock that a test advances. */
export interface FrozenClock extends Clock {
  advance(ms: number): void;
}

/**
 * Returns a clock that is stopped until the test advances it. Timers run normally, so it can be
 * used with real sockets.
 */
export function frozenClock(): FrozenClock {
  const start = systemClock.now();
  let elapsedMs = 0;
  return {
    ...systemClock,
    now: () => start + elapsedMs,
    elapsed: () => elapsedMs,
    advance: (ms) => void (elapsedMs += ms),
  };
}
