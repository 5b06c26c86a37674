import { systemClock, type Clock } from '../../src/clock.ts';

export interface JumpingClock extends Clock {
  /** Goes so far ahead at once; tasks that wait still wait for as long as they would have. */
  advance(ms: number): void;
}

/** A clock that runs as the machine's does and can be set forward: for what ages while time limits and real sockets go on. */
export function jumpingClock(): JumpingClock {
  let ahead = 0;
  return {
    ...systemClock,
    now: () => systemClock.now() + ahead,
    elapsed: () => systemClock.elapsed() + ahead,
    advance: (ms) => void (ahead += ms),
  };
}
