import { systemClock, type Clock } from '../../src/clock.ts';

export interface FrozenClock extends Clock {
  advance(ms: number): void;
}

/** A clock that stands still until the test moves it, while timers run as ever: for what counts by the time, beside real sockets. */
export function frozenClock(): FrozenClock {
  const start = systemClock.now();
  let passed = 0;
  return {
    ...systemClock,
    now: () => start + passed,
    elapsed: () => passed,
    advance: (ms) => void (passed += ms),
  };
}
