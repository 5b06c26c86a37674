import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Runs tasks in the order in which they come, so many in a turn of the event loop: in between leaves what they have sent, and others are
 * served. The first wait for what is asked for in the same breath, as DataLoader's would by themselves.
 */
export function paced(tasksInTurn: number): (task: () => void) => void {
  const waiting: (() => void)[] = [];
  let running = false;

  async function run(): Promise<void> {
    running = true;
    await Promise.resolve();
    await new Promise<void>((resolve) => process.nextTick(resolve));
    while (waiting.length > 0) {
      for (const task of waiting.splice(0, tasksInTurn)) task();
      if (waiting.length > 0) await nextTurn();
    }
    running = false;
  }

  return (task) => {
    waiting.push(task);
    if (!running) void run();
  };
}
