import type { Clock } from '../../../src/clock.ts';

/** A clock with timers that a test advances. */
export interface ManualClock extends Clock {
  /** Advances the time and runs the tasks that are due, in order, each at its own time. */
  advance(ms: number): void;
  /** Number of scheduled tasks. */
  readonly pending: number;
  /**
   * Resolves when at least `count` tasks are scheduled, so that `advance` is not called too early.
   */
  whenPending(count?: number): Promise<void>;
}

/** Returns a clock that is stopped until the test advances it. */
export function manualClock(start = Date.UTC(2026, 10, 21)): ManualClock {
  let now = start;
  const tasks = new Set<{ at: number; run: () => void }>();
  let waiting: { count: number; resolve: () => void }[] = [];

  function resolveWaiting(): void {
    for (const { count, resolve } of waiting) if (tasks.size >= count) resolve();
    waiting = waiting.filter(({ count }) => tasks.size < count);
  }

  return {
    now: () => now,
    elapsed: () => now,
    after(ms, run) {
      const task = { at: now + ms, run };
      tasks.add(task);
      resolveWaiting();
      return () => void tasks.delete(task);
    },
    advance(ms) {
      const end = now + ms;
      for (let task = earliest(tasks, end); task; task = earliest(tasks, end)) {
        tasks.delete(task);
        now = Math.max(now, task.at);
        task.run();
      }
      now = end;
    },
    get pending() {
      return tasks.size;
    },
    whenPending: (count = 1) =>
      new Promise((resolve) => {
        waiting.push({ count, resolve });
        resolveWaiting();
      }),
  };
}

/**
 * Returns the earliest task that is due. Of several due at the same time, the first one scheduled:
 * a `Set` is ordered by insertion.
 */
function earliest<Task extends { at: number }>(
  tasks: Iterable<Task>,
  until: number,
): Task | undefined {
  let first: Task | undefined;
  for (const task of tasks) if (task.at <= until && (!first || task.at < first.at)) first = task;
  return first;
}
