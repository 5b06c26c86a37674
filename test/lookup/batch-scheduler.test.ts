import { setImmediate as nextTick } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { batchScheduler } from '../../src/lookup/batch-scheduler.ts';

it('runs all tasks in order, at most two per tick of the event loop', async () => {
  const schedule = batchScheduler(2);
  const done: number[] = [];
  const later = (task: number) => schedule(() => void done.push(task));
  for (const task of [1, 2, 3, 4, 5]) later(task);
  expect(done).toEqual([]);
  for (let before = 0; before < 5; before = done.length) {
    await nextTick();
    expect(done.length - before).toBeLessThanOrEqual(2);
  }
  later(6);
  await nextTick();
  expect(done).toEqual([1, 2, 3, 4, 5, 6]);
});
