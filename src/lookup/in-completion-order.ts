import { setImmediate as nextTick } from 'node:timers/promises';

/**
 * Yields items in the order in which their results settle; `Promise.race` would take quadratic
 * time. After the first, items that settle in the same tick of the event loop are yielded together,
 * so that they are sent in one packet.
 */
export async function* inCompletionOrder<T>(
  items: readonly T[],
  resultOf: (item: T) => unknown,
): AsyncGenerator<T, void, void> {
  const settled: T[] = [];
  let wake: (() => void) | undefined;
  const add = (item: T) => {
    settled.push(item);
    // Resolving a promise again costs more than the first time.
    wake?.();
    wake = undefined;
  };
  for (const item of items) {
    const result = resultOf(item);
    if (result instanceof Promise) void result.then(() => add(item));
    else add(item);
  }
  for (let remaining = items.length; remaining > 0;) {
    if (settled.length === 0) await new Promise<void>((resolve) => (wake = resolve));
    if (remaining < items.length) await nextTick();
    for (const item of settled.splice(0)) {
      remaining -= 1;
      yield item;
    }
  }
}
