import { systemClock, type Clock } from '../../src/clock.ts';

export interface StandingClock extends Clock {
  pass(ms: number): void;
}

/** A clock that stands still until the test moves it, while timers run as ever: for what counts by the time, beside real sockets. */
export function standingClock(): StandingClock {
  const start = systemClock.now();
  let passed = 0;
  return {
    ...systemClock,
    now: () => start + passed,
    elapsed: () => passed,
    pass: (ms) => void (passed += ms),
  };
}
