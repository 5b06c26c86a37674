import { setImmediate as nextTick } from 'node:timers/promises';

/**
 * Returns a function that schedules tasks. They run in order, `tasksPerTick` per tick of the event
 * loop, so that their requests are sent and other operations are served in between. The first batch
 * waits one microtask + `nextTick`, like DataLoader's default scheduler.
 */
export function batchScheduler(tasksPerTick: number): (task: () => void) => void {
  const pending: (() => void)[] = [];
  let isRunning = false;

  async function run(): Promise<void> {
    isRunning = true;
    await Promise.resolve();
    await new Promise<void>((resolve) => process.nextTick(resolve));
    while (pending.length > 0) {
      for (const task of pending.splice(0, tasksPerTick)) task();
      if (pending.length > 0) await nextTick();
    }
    isRunning = false;
  }

  return (task) => {
    pending.push(task);
    if (!isRunning) void run();
  };
}
