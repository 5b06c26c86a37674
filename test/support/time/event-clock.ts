import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../../src/clock.ts';

/** A clock that jumps from one timer to the next, as in a discrete-event simulation. */
export interface EventClock extends Clock {
  /** Reports that something happened that the clock does not see, such as a received request. */
  readonly touch: () => void;
  /** Runs timers in order, each when nothing else is going on, until a promise settles. */
  run<T>(until: Promise<T>): Promise<T>;
}

interface Task {
  readonly at: number;
  readonly run: () => void;
}

/**
 * Event loop iterations without activity after which nothing is going on: what one process sends to
 * itself over a loopback connection arrives in the next iteration.
 */
const idleTurns = 12;

/**
 * Returns a clock with which hours pass in seconds. Time stands still while the process computes or
 * receives something, so latencies and limits are exact if servers delay responses by this clock.
 */
export function eventClock(start = Date.UTC(2026, 10, 23, 9)): EventClock {
  let now = start;
  let activity = 0;
  const touch = () => void (activity += 1);
  const tasks = new Set<Task>();

  async function whenIdle(): Promise<void> {
    let seen = activity;
    for (let turns = 0; turns < idleTurns; turns += 1) {
      await nextTurn();
      if (activity === seen) continue;
      seen = activity;
      turns = 0;
    }
  }

  function runNext(): void {
    let at = Infinity;
    for (const task of tasks) at = Math.min(at, task.at);
    if (at === Infinity) throw new Error('No timer is set, and nothing is going on.');
    now = at;
    for (const task of tasks) if (task.at === at && tasks.delete(task)) task.run();
  }

  return {
    now: () => (touch(), now),
    // As in a process, it is never 0.
    elapsed: () => (touch(), 1 + now - start),
    after(ms, run) {
      touch();
      // Like the system's timers: whole milliseconds, and at least one.
      const task = { at: Math.ceil(now + Math.max(ms, 1)), run };
      tasks.add(task);
      return () => void tasks.delete(task);
    },
    touch,
    async run(until) {
      const state = { isSettled: false };
      const settled = until.finally(() => void (state.isSettled = true));
      settled.catch(() => undefined);
      for (await whenIdle(); !state.isSettled; await whenIdle()) runNext();
      return settled;
    },
  };
}
