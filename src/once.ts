/** The same function, whose first result is its only one, whatever it is called with later. What throws has no result. */
export function once<Args extends unknown[], T>(run: (...args: Args) => T): (...args: Args) => T {
  let result: { value: T } | undefined;
  return (...args) => (result ??= { value: run(...args) }).value;
}

/** The same for what may take its time, and must not reject: a promise until it is there, and from then on plain, so that nobody waits for it. */
export function onceSettled<T>(run: () => T | Promise<T>): () => T | Promise<T> {
  let result: { value: T | Promise<T> } | undefined;
  return () => {
    if (result) return result.value;
    const its = { value: run() };
    if (its.value instanceof Promise) void its.value.then((value) => (its.value = value));
    result = its;
    return its.value;
  };
}
