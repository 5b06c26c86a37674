import { systemClock } from '../../clock.ts';

/** How long a slice may delay other requests. */
const maxSliceMs = 2;
/** The first slice of a list while others are being read: enough for a short list. */
const firstSliceMs = 0.5;

/**
 * Runs lists of tasks in slices, between which other requests are served. After the first slice of
 * each list, each tick of the event loop runs one slice, however many lists are being read.
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

  #nextSlice(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length === 1) setImmediate(() => this.#runSlice());
    });
  }

  #runSlice(): void {
    this.#waiting.shift()?.();
    if (this.#waiting.length > 0) setImmediate(() => this.#runSlice());
  }
}
