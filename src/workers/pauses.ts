import type { Clock } from '../clock.ts';

const steadyMs = 10_000;
const firstPauseMs = 250;
const longestPauseMs = 30_000;

/**
 * How long to wait before a worker takes the place of one that began at this moment (`clock.elapsed()`) and has ended: not at all, unless it
 * ended within ten seconds; then twice as long each time, so that workers that cannot live do not spin.
 */
export function pausesBetweenLives(clock: Clock): (beganAt: number) => number {
  let shortLives = 0;
  return (beganAt) => {
    shortLives = clock.elapsed() - beganAt < steadyMs ? shortLives + 1 : 0;
    return shortLives === 0 ? 0 : Math.min(firstPauseMs * 2 ** (shortLives - 1), longestPauseMs);
  };
}
