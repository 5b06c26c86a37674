/** The items in the order in which they settle. Not by `Promise.race`, whose cost grows with the square of their number. */
export async function* asKnown<T>(items: readonly T[], settled: (item: T) => Promise<unknown>): AsyncGenerator<T, void, void> {
  const known: T[] = [];
  let wake: (() => void) | undefined;
  for (const item of items) {
    void settled(item).then(() => {
      known.push(item);
      wake?.();
    });
  }
  for (let left = items.length; left > 0;) {
    if (known.length === 0) await new Promise<void>((resolve) => (wake = resolve));
    for (const item of known.splice(0)) {
      left -= 1;
      yield item;
    }
  }
}
