import { expect, it } from 'vitest';
import { scheduleExpiry } from '../../src/cache/expiry.ts';
import { createLog } from '../../src/log.ts';
import { manualClock } from '../support/manual-clock.ts';

const hour = 60 * 60 * 1000;

it('what is old is swept every hour, until that is stopped, also in the middle of a sweep', async () => {
  const clock = manualClock();
  const sweeps: PromiseWithResolvers<void>[] = [];
  const deleteExpired = () => {
    const next = Promise.withResolvers<void>();
    sweeps.push(next);
    return next.promise;
  };
  const stop = scheduleExpiry({ deleteExpired }, 30, clock, createLog('silent'));
  sweeps[0]?.resolve();
  await clock.whenPending();
  clock.advance(hour);
  expect(sweeps).toHaveLength(2);
  stop();
  sweeps[1]?.resolve();
  await new Promise(setImmediate);
  expect(clock.pending).toBe(0);
});
