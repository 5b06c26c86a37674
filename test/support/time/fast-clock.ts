import { systemClock, type Clock } from '../../../src/clock.ts';

/**
 * Returns a clock that runs `factor` times as fast, with its timers, for tests that would have to
 * wait for an interval of the gateway. Time limits of connections are not affected.
 */
export function fastClock(factor = 20): Clock {
  const startedAt = systemClock.now();
  const startedElapsed = systemClock.elapsed();
  const elapsed = () => (systemClock.elapsed() - startedElapsed) * factor;
  return {
    now: () => startedAt + Math.round(elapsed()),
    elapsed,
    after: (ms, run) => systemClock.after(ms / factor, run),
  };
}
