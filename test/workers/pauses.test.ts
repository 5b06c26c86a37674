import { expect, it } from 'vitest';
import { pausesBetweenLives } from '../../src/workers/pauses.ts';
import { manualClock } from '../support/manual-clock.ts';

it('a worker that had served for a while is replaced at once; those that cannot live, ever more slowly', () => {
  const clock = manualClock();
  const pauseAfter = pausesBetweenLives(clock);
  const liveFor = (ms: number) => {
    const beganAt = clock.elapsed();
    clock.advance(ms);
    return pauseAfter(beganAt);
  };
  expect([20_000, 1, 1, 1, 9_999, 1, 1, 1, 1, 10_000, 1].map(liveFor)).toEqual([
    0, 250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 0, 250,
  ]);
});
