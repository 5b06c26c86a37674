import { systemClock } from '../clock.ts';
import type { NextTurn } from '../lookup/batch-scheduler.ts';

/** How long a slice may delay other requests. */
const maxSliceMs = 2;
/** The first slice of a list while others are being read: enough for a short list. */
const firstSliceMs = 0.5;

/**
 * Runs long work in slices, between which other requests are served. After the first slice of each
 * list or operation, each tick of the event loop runs one slice, however many are in progress.
 */
export class TimeSlices {
  readonly #waiting: (() => void)[] = [];

  /** Runs tasks in order. Resolves to their results. */
  async run<T>(tasks: Iterable<() => T>): Promise<T[]> {
    const results: T[] = [];
    let sliceEnd = systemClock.elapsed() + (this.#waiting.length > 0 ? firstSliceMs : maxSliceMs);
    for (const task of tasks) {
      results.push(task());
      if (systemClock.elapsed() < sliceEnd) continue;
      await this.#nextSlice();
      sliceEnd = systemClock.elapsed() + maxSliceMs;
    }

    return results;
  }

  /** Opens the turns of an operation: it may run for one slice in each tick of the event loop. */
  turns(): NextTurn {
    let sliceEnd: number | undefined;
    return (work) => {
      const now = systemClock.elapsed();
      if (sliceEnd !== undefined)
        return work !== 'later' && now < sliceEnd ? undefined : this.#nextSlice();
      sliceEnd = now + maxSliceMs;
      setImmediate(() => (sliceEnd = undefined));
      return undefined;
    };
  }

  #nextSlice(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length === 1) setImmediate(() => this.#runSlice());
    });
  }

  /** Resumes the tasks that wait, in order, until their slice is used up. */
  #runSlice(sliceEnd = systemClock.elapsed() + maxSliceMs): void {
    this.#waiting[0]?.();
    // A next tick that a microtask adds runs after all other microtasks: those of the resumed task.
    queueMicrotask(() =>
      process.nextTick(() => {
        this.#waiting.shift();
        if (this.#waiting.length === 0) return;
        if (systemClock.elapsed() < sliceEnd) this.#runSlice(sliceEnd);
        else setImmediate(() => this.#runSlice());
      }),
    );
  }
}
