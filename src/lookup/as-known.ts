import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * The items in the order in which they settle. Not by `Promise.race`, whose cost grows with the square of their number. After the first, all
 * that settle in one turn of the event loop come one upon the other, so that they leave in one packet.
 */
export async function* asKnown<T>(items: readonly T[], settled: (item: T) => unknown): AsyncGenerator<T, void, void> {
  const known: T[] = [];
  let wake: (() => void) | undefined;
  const tell = (item: T) => {
    known.push(item);
    // Woken once: to resolve a promise again costs more than the first time.
    wake?.();
    wake = undefined;
  };
  for (const item of items) {
    const settling = settled(item);
    if (settling instanceof Promise) void settling.then(() => tell(item));
    else tell(item);
  }
  for (let left = items.length; left > 0;) {
    if (known.length === 0) await new Promise<void>((resolve) => (wake = resolve));
    if (left < items.length) await nextTurn();
    for (const item of known.splice(0)) {
      left -= 1;
      yield item;
    }
  }
}
