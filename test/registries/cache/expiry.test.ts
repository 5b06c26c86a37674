import { expect, it } from 'vitest';
import { scheduleExpiry } from '../../../src/registries/cache/freshness.ts';
import { createLog } from '../../../src/log.ts';
import { manualClock } from '../../support/time/manual-clock.ts';

const hour = 60 * 60 * 1000;

it('answers of over 30 days are deleted every hour until stopped, even in the middle of a run', async () => {
  const clock = manualClock();
  const runs: PromiseWithResolvers<void>[] = [];
  const deleteExpired = (before: number) => {
    expect(before).toBe(clock.now() - 30 * 24 * hour);
    const next = Promise.withResolvers<void>();
    runs.push(next);
    return next.promise;
  };
  const stop = scheduleExpiry({ deleteExpired }, 30, clock, createLog('silent'));
  runs[0]?.resolve();
  await clock.whenPending();
  clock.advance(hour);
  expect(runs).toHaveLength(2);
  stop();
  runs[1]?.resolve();
  await new Promise(setImmediate);
  expect(clock.pending).toBe(0);
});
