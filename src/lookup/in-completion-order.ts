import { setImmediate as nextTick } from 'node:timers/promises';

/**
 * Yields items in the order in which they settle. Not by `Promise.race`, whose cost grows with the square of their number. After the first, all
 * that settle in one tick of the event loop come together, so that they are sent in one packet.
 */
export async function* inCompletionOrder<T>(
  items: readonly T[],
  settled: (item: T) => unknown,
): AsyncGenerator<T, void, void> {
  const done: T[] = [];
  let wake: (() => void) | undefined;
  const add = (item: T) => {
    done.push(item);
    // Woken once: to resolve a promise again costs more than the first time.
    wake?.();
    wake = undefined;
  };
  for (const item of items) {
    const settling = settled(item);
    if (settling instanceof Promise) void settling.then(() => add(item));
    else add(item);
  }
  for (let left = items.length; left > 0;) {
    if (done.length === 0) await new Promise<void>((resolve) => (wake = resolve));
    if (left < items.length) await nextTick();
    for (const item of done.splice(0)) {
      left -= 1;
      yield item;
    }
  }
}
