import { systemClock } from '../clock.ts';

/** Other requests wait for no more than this. */
const maxSliceMs = 2;
/** The first slice of a list while others are read: enough for a short one. */
const firstSliceMs = 0.5;

/** Runs tasks in order, in slices of the event loop between which other requests are served. Resolves to their results. */
export async function inSlices<T>(tasks: Iterable<() => T>): Promise<T[]> {
  const results: T[] = [];
  let sliceEnd = systemClock.elapsed() + (waiting.length > 0 ? firstSliceMs : maxSliceMs);
  for (const task of tasks) {
    results.push(task());
    if (systemClock.elapsed() < sliceEnd) continue;
    await nextSlice();
    sliceEnd = systemClock.elapsed() + maxSliceMs;
  }
  return results;
}

/** The lists that wait for their next slice. After its first, there is one slice in a turn of the event loop, however many lists are read. */
const waiting: (() => void)[] = [];

function nextSlice(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(runSlice);
  });
}

function runSlice(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(runSlice);
}
