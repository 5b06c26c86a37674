import type { Clock } from '../../src/clock.ts';

export interface ManualClock extends Clock {
  /** Moves the time on and runs what falls due on the way, in order, each task at its own moment. */
  advance(ms: number): void;
  /** Tasks that wait for their moment. */
  readonly pending: number;
  /** Settles as soon as at least so many tasks wait: then `advance` cannot come too early. */
  whenPending(count?: number): Promise<void>;
}

/** A clock that stands still until the test moves it. */
export function manualClock(start = Date.UTC(2026, 10, 21)): ManualClock {
  let now = start;
  const tasks = new Set<{ at: number; run: () => void }>();
  let waiting: { count: number; resolve: () => void }[] = [];

  function notice(): void {
    for (const { count, resolve } of waiting) if (tasks.size >= count) resolve();
    waiting = waiting.filter(({ count }) => tasks.size < count);
  }

  return {
    now: () => now,
    elapsed: () => now,
    after(ms, run) {
      const task = { at: now + ms, run };
      tasks.add(task);
      notice();
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
        notice();
      }),
  };
}

/** Of tasks due at one moment, the one that was set first: a `Set` keeps that order and `<` lets it stand. */
function earliest<Task extends { at: number }>(
  tasks: Iterable<Task>,
  until: number,
): Task | undefined {
  let first: Task | undefined;
  for (const task of tasks) if (task.at <= until && (!first || task.at < first.at)) first = task;
  return first;
}
