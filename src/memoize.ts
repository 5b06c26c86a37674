/**
 * The same function, whose first result is its only one, whatever it is called with later. What throws has no result; a promise is one, also
 * when it is rejected.
 */
export function once<Args extends unknown[], T>(run: (...args: Args) => T): (...args: Args) => T {
  let result: { value: T } | undefined;
  return (...args) => (result ??= { value: run(...args) }).value;
}

/** The same for a promise that may be rejected: who asks meanwhile shares it, and who asks after it failed has it tried anew. */
export function onceFulfilled<T>(run: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  const reset = () => void (result = undefined);
  return () => {
    if (!result) {
      result = run();
      // Who asked hears of a failure.
      result.catch(reset);
    }
    return result;
  };
}

/** The same for what may take its time: a promise until it is there, and from then on plain, so that nobody waits for it. */
export function onceSettled<T>(run: () => T | Promise<T>): () => T | Promise<T> {
  let result: { value: T | Promise<T> } | undefined;
  return () => {
    if (result) return result.value;
    const entry = { value: run() };
    const settle = (value: T) => void (entry.value = value);
    // Who asked hears of a failure.
    if (entry.value instanceof Promise) entry.value.then(settle, () => undefined);
    result = entry;
    return entry.value;
  };
}

/** Returns a function that derives a value from what `source` returns, again only when that is another value. */
export function derived<T, R>(source: () => T, derive: (from: T) => R): () => R {
  let last: { readonly from: T; readonly value: R } | undefined;
  return () => {
    const from = source();
    if (last?.from !== from) last = { from, value: derive(from) };
    return last.value;
  };
}
