import { setImmediate as nextTick } from 'node:timers/promises';

/**
 * Runs tasks in the order in which they come, so many in a turn of the event loop: in between leaves what they have sent, and others are
 * served. The first wait for what is asked for in the same breath, as DataLoader's would by themselves.
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
