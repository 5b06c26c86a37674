import { systemClock } from '../clock.ts';

/** Other requests wait for no more than this. */
const maxSliceMs = 2;

/** Runs tasks in order, in slices of the event loop between which other requests are served. Resolves to their results. */
export async function inSlices<T>(tasks: Iterable<() => T>): Promise<T[]> {
  const results: T[] = [];
  if (waiting.length > 0) await nextSlice();
  let sliceEnd = systemClock.elapsed() + maxSliceMs;
  for (const task of tasks) {
    results.push(task());
    if (systemClock.elapsed() < sliceEnd) continue;
    await nextSlice();
    sliceEnd = systemClock.elapsed() + maxSliceMs;
  }
  return results;
}

/** The lists that wait for their next slice. There is one slice in a turn of the event loop, however many lists are read. */
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
