import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { batchScheduler } from '../../src/lookup/batch-scheduler.ts';

it('what is paced is done in order and to its end, so much in a turn of the event loop', async () => {
  const schedule = batchScheduler(2);
  const done: number[] = [];
  const later = (task: number) => schedule(() => void done.push(task));
  for (const task of [1, 2, 3, 4, 5]) later(task);
  expect(done).toEqual([]);
  for (let before = 0; before < 5; before = done.length) {
    await nextTurn();
    expect(done.length - before).toBeLessThanOrEqual(2);
  }
  later(6);
  await nextTurn();
  expect(done).toEqual([1, 2, 3, 4, 5, 6]);
});
